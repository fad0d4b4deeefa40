package io.sluice.coordinator.history;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A change that is reported to operators: one log line and, unless its level is DEBUG, an entry of
 * the event list. Immutable; built by {@code Event.of(KIND).with("server", name)}.
 *
 * @param fields in the order in which they are printed
 */
public record Event(Kind kind, List<Field> fields) {
  private static final String SERVER = "server";
  private static final String APPLICATION = "application";

  /** A key and its value. */
  public record Field(String key, String value) {}

  /**
   * Type of an event. Names are part of the REST API and of the metadata log: never rename them.
   */
  public enum Kind {
    SERVER_JOINED(Level.INFO, "server joined"),
    SERVER_RESTARTED(Level.WARN, "server restarted"),
    SERVER_RETURNED(Level.INFO, "lost server reported again"),
    SERVER_STATE_CHANGED(Level.INFO, "server changed state"),
    SERVER_LOST(Level.WARN, "server lost"),
    SERVER_FORGOTTEN(Level.INFO, "lost server removed from the list"),
    SERVER_LEFT(Level.INFO, "decommissioned server left"),
    DISK_BAD(Level.WARN, "disk failed"),
    DISK_GOOD(Level.INFO, "disk healthy again"),
    EXCLUSIONS_CHANGED(Level.INFO, "list of excluded servers changed"),
    SERVER_EXCLUDED(Level.INFO, "server excluded"),
    SERVER_INCLUDED(Level.INFO, "server included again"),
    DECOMMISSION_ORDERED(Level.INFO, "decommission ordered"),
    DECOMMISSION_CANCELLED(Level.INFO, "decommission cancelled"),
    CONFIGURATION_RELOADED(Level.INFO, "configuration reloaded"),
    APPLICATION_REGISTERED(Level.INFO, "application registered"),
    APPLICATION_DENIED(Level.WARN, "application denied"),
    APPLICATION_ENDED(Level.INFO, "application ended"),
    APPLICATION_EXPIRED(Level.WARN, "application expired"),
    RECEIPTS_WRONG(Level.ERROR, "readers got other records than map tasks wrote"),
    SHUFFLE_ASSIGNED(Level.DEBUG, "shuffle assigned"),
    SHUFFLE_SHORT_OF_COPIES(Level.WARN, "shuffle assigned with fewer replicas than requested"),
    SHUFFLE_REFUSED(Level.WARN, "shuffle refused"),
    SHUFFLE_MOVING(Level.INFO, "shuffle is moved to another server"),
    SHUFFLE_MOVE_APPLIED(Level.INFO, "driver uses the new server of a moved shuffle"),
    USAGE_RULES_CHANGED(Level.INFO, "access rules or quotas changed"),
    LIMITS_SET(Level.INFO, "limits of a user changed"),
    TOKENS_REVOKED(Level.WARN, "tokens revoked"),
    QUOTA_REACHED(Level.WARN, "quota reached"),
    QUOTA_LEFT(Level.INFO, "application is below its quota again"),
    METADATA_LOG_FAILED(Level.ERROR, "metadata log cannot be written"),
    METADATA_LOG_RECOVERED(Level.INFO, "metadata log can be written again");

    private final Level level;
    private final String text;

    Kind(Level level, String text) {
      this.level = level;
      this.text = text;
    }

    public Level level() {
      return level;
    }
  }

  public Event {
    fields = List.copyOf(fields);
  }

  public static Event of(Kind kind) {
    return new Event(kind, List.of());
  }

  /** Returns this event with one more field; an empty value adds nothing. */
  public Event with(String key, Object value) {
    String text = String.valueOf(value);
    if (text.isEmpty()) {
      return this;
    }
    List<Field> extended = new ArrayList<>(fields);
    extended.add(new Field(key, text));
    return new Event(kind, extended);
  }

  public Event ofServer(String server) {
    return with(SERVER, server);
  }

  public Event ofApplication(String application) {
    return with(APPLICATION, application);
  }

  public Level level() {
    return kind.level;
  }

  /** Whether the event is added to the event list; events of level DEBUG are only logged. */
  public boolean isListed() {
    return level() != Level.DEBUG && level() != Level.TRACE;
  }

  /** Name of the server concerned, or empty. */
  public String server() {
    return value(SERVER);
  }

  /** Id of the application concerned, or empty. */
  public String application() {
    return value(APPLICATION);
  }

  /** Description, followed by {@code key=value} pairs. */
  public String text() {
    StringBuilder text = new StringBuilder(kind.text);
    for (Field field : fields) {
      text.append(' ').append(field.key).append('=').append(field.value);
    }
    return text.toString();
  }

  /** Writes the log line. */
  public void logTo(Logger log) {
    LoggingEventBuilder line = log.atLevel(level());
    for (Field field : fields) {
      line = line.addKeyValue(field.key, field.value);
    }
    line.log(kind.text);
  }

  private String value(String key) {
    for (Field field : fields) {
      if (field.key.equals(key)) {
        return field.value;
      }
    }
    return "";
  }
}
