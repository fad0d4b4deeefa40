package io.sluice.client;

/**
 * What Netty need not do at the start of a process. It looks at these properties once, when it is
 * first used; what somebody else has set stays.
 */
final class NettyDefaults {
  private NettyDefaults() {}

  /** Events of its allocators start all of the recorder, whether somebody records or not. */
  static void withoutFlightRecorder() {
    setIfAbsent("io.netty.jfr.enabled", "false");
  }

  /**
   * Its default allocator comes with a hundred classes, and is made even where nobody asks for it.
   */
  static void withoutPools() {
    setIfAbsent("io.netty.allocator.type", "unpooled");
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
