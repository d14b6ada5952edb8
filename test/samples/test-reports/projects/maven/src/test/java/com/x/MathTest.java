package com.x;
import org.junit.*;
public class MathTest {
  @Test public void fails() {
    Assert.assertEquals("sum", 3, 1 + 1);
  }
  @Test public void ok() {}
  @Ignore @Test public void skipped() {}
}
