<?php
use PHPUnit\Framework\TestCase;
final class ATest extends TestCase {
    public function testFails(): void {
        $x = 1;
        $this->assertSame(3, $x + 1);
    }
    public function testOk(): void { $this->assertTrue(true); }
    public function testThrows(): void { throw new RuntimeException("boom"); }
    public function testSkip(): void { $this->markTestSkipped("no"); }
}
