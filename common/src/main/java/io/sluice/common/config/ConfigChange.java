package io.sluice.common.config;

/**
 * A key whose value differs in a reloaded configuration.
 *
 * @param from the previous value as written in a file; a secret's value is hidden
 * @param reloadable whether a running process applies the new value
 */
public record ConfigChange(String key, String from, String to, boolean reloadable) {
  /** For a log line. */
  @Override
  public String toString() {
    return key + "=" + to;
  }
}
