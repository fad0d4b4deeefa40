package io.sluice.common.config;

/**
 * A key and its value in use.
 *
 * @param value as written in a file; hidden if it is secret; empty if the key has neither value nor
 *     default
 * @param source {@code FILE:LINE} or option that set the value; {@link #SET} for a key that is
 *     passed on to a library; {@link #DEFAULT} if nothing set it
 */
public record ConfigEntry(String key, String value, String source) {
  /** Source of a default value. */
  public static final String DEFAULT = "default";

  /** Source of a value of a family of keys. */
  static final String SET = "set";
}
