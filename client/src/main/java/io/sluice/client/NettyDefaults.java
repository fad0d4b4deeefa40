package io.sluice.client;

/**
 * Sets system properties that shorten the start of Netty. Netty reads them once, on first use.
 * Properties that are already set do not change.
 */
final class NettyDefaults {
  private NettyDefaults() {}

  /**
   * Disables flight recorder events of the allocators, which start the whole recorder even if it is
   * not used.
   */
  static void withoutFlightRecorder() {
    setIfAbsent("io.netty.jfr.enabled", "false");
  }

  /**
   * Makes the default allocator unpooled: the pooled one loads a hundred classes, even if it is not
   * used.
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
