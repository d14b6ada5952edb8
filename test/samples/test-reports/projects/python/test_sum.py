import unittest, pytest
class Suite(unittest.TestCase):
    def test_fails(self):
        x = 1
        self.assertEqual(x + 1, 3)
    def test_ok(self): pass
    @unittest.skip('no')
    def test_skip(self): pass
def helper():
    raise ValueError('deep')
def test_fn():
    assert [1, 2] == [1, 3]
@pytest.mark.parametrize('v', ['a::b', '1 - 2'])
def test_p(v):
    assert v == 'x'
def test_deep(): helper()
