test('x', () => { oops( });
