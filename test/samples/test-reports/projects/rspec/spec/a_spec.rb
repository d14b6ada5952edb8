RSpec.describe 'Suite' do
  it 'fails' do
    expect(1 + 1).to eq(3)
  end
  it('passes') { expect(1).to eq(1) }
  xit('skipped') { }
  context 'inner' do
    it('raises') { raise ArgumentError, 'boom' }
  end
end
