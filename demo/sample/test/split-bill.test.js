import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitBill } from '../src/split-bill.js';

const sum = (shares) => shares.reduce((total, share) => total + share, 0);

test('an even bill is split evenly', () => {
  assert.deepEqual(splitBill(900, 3), [300, 300, 300]);
});

test('no cent is lost', () => {
  assert.equal(sum(splitBill(1000, 3)), 1000);
});

test('nobody pays more than a cent extra', () => {
  const shares = splitBill(1005, 7);
  assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, `shares are ${shares.join(', ')}`);
});
