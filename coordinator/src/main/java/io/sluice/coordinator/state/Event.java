package io.sluice.coordinator.state;

import org.slf4j.event.Level;

/**
 * A change that people want to read about: one line of the log.
 *
 * @param server the server that it is about, or empty
 * @param application the application that it is about, or empty
 * @param text what happened, then {@code key=value} pairs
 */
public record Event(Level level, Kind kind, String server, String application, String text) {

  /** What happened, for programs. Names are part of the REST API: they are only added. */
  public enum Kind {
    SERVER_JOINED,
    SERVER_RESTARTED,
    SERVER_RETURNED,
    SERVER_STATE_CHANGED,
    SERVER_LOST,
    SERVER_FORGOTTEN,
    SERVER_LEFT,
    DISK_BAD,
    DISK_GOOD,
    EXCLUSIONS_CHANGED,
    SERVER_EXCLUDED,
    SERVER_INCLUDED,
    CONFIGURATION_RELOADED,
    APPLICATION_REGISTERED,
    APPLICATION_DENIED,
    APPLICATION_ENDED,
    APPLICATION_EXPIRED,
    SHUFFLE_ASSIGNED,
    SHUFFLE_SHORT_OF_COPIES,
    SHUFFLE_REFUSED,
    SHUFFLE_MOVING,
    SHUFFLE_MOVE_APPLIED,
    USAGE_RULES_CHANGED,
    QUOTA_REACHED,
    QUOTA_LEFT
  }

  static Event ofServer(Level level, Kind kind, String server, String text) {
    return new Event(level, kind, server, "", text);
  }

  static Event ofApplication(Level level, Kind kind, String application, String text) {
    return new Event(level, kind, "", application, text);
  }
}
