package com.x;
import org.junit.*;
public class LoadTest {
  @BeforeClass public static void before() { throw new IllegalStateException("no database"); }
  @Test public void never() {}
}
