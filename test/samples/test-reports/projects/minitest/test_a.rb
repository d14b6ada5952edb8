require 'minitest/autorun'
class SumTest < Minitest::Test
  def test_fails
    assert_equal 3, 1 + 1
  end
  def test_ok; assert true; end
  def test_raises; raise 'boom'; end
  def test_skip; skip 'no'; end
end
