import unittest
class Suite(unittest.TestCase):
    def test_fails(self):
        x = 1
        self.assertEqual(x + 1, 3)
    def test_ok(self): pass
    def test_err(self):
        {}['k']
if __name__ == '__main__': unittest.main()
