package io.sluice.coordinator.state;

import org.slf4j.event.Level;

/** A change that people want to read about: one line of the log. */
public record Event(Level level, String text) {
  static Event info(String text) {
    return new Event(Level.INFO, text);
  }

  static Event warn(String text) {
    return new Event(Level.WARN, text);
  }
}
