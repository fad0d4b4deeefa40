package io.sluice.common.config;

/**
 * A key whose value is another one in a configuration that was read again.
 *
 * @param from the value before, as people write it; a secret's is hidden
 * @param reloadable whether a running process takes the new value
 */
public record ConfigChange(String key, String from, String to, boolean reloadable) {
  /** For a log line. */
  @Override
  public String toString() {
    return key + "=" + to;
  }
}
