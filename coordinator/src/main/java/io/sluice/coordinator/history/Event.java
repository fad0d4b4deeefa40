package io.sluice.coordinator.history;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A change that operators read about: one line of the log and, unless its level is DEBUG, an entry
 * of the list of events. Immutable; built by {@code Event.of(KIND).with("server", name)}.
 *
 * @param fields in the order in which they are printed
 */
public record Event(Kind kind, List<Field> fields) {
  private static final String SERVER = "server";
  private static final String APPLICATION = "application";

  /** A key and its value. */
  public record Field(String key, String value) {}

  /** What happened, for programs. Names are part of the REST API and of the log: never renamed. */
  public enum Kind {
    SERVER_JOINED(Level.INFO, "server joined"),
    SERVER_RESTARTED(Level.WARN, "server restarted"),
    SERVER_RETURNED(Level.INFO, "server came back"),
    SERVER_STATE_CHANGED(Level.INFO, "server changed state"),
    SERVER_LOST(Level.WARN, "server lost"),
    SERVER_FORGOTTEN(Level.INFO, "lost server forgotten"),
    SERVER_LEFT(Level.INFO, "server left"),
    DISK_BAD(Level.WARN, "disk bad"),
    DISK_GOOD(Level.INFO, "disk healthy again"),
    EXCLUSIONS_CHANGED(Level.INFO, "excluded servers changed"),
    SERVER_EXCLUDED(Level.INFO, "server excluded"),
    SERVER_INCLUDED(Level.INFO, "server included again"),
    DECOMMISSION_ORDERED(Level.INFO, "decommission ordered"),
    DECOMMISSION_CANCELLED(Level.INFO, "decommission cancelled"),
    CONFIGURATION_RELOADED(Level.INFO, "configuration reloaded"),
    APPLICATION_REGISTERED(Level.INFO, "application registered"),
    APPLICATION_DENIED(Level.WARN, "application denied"),
    APPLICATION_ENDED(Level.INFO, "application ended"),
    APPLICATION_EXPIRED(Level.WARN, "application expired"),
    SHUFFLE_ASSIGNED(Level.DEBUG, "shuffle assigned"),
    SHUFFLE_SHORT_OF_COPIES(Level.WARN, "shuffle assigned with fewer replicas than requested"),
    SHUFFLE_REFUSED(Level.WARN, "shuffle refused"),
    SHUFFLE_MOVING(Level.INFO, "shuffle is moved"),
    SHUFFLE_MOVE_APPLIED(Level.INFO, "driver knows of a move"),
    USAGE_RULES_CHANGED(Level.INFO, "rules of access and quotas changed"),
    LIMITS_SET(Level.INFO, "limits of a user set"),
    QUOTA_REACHED(Level.WARN, "quota reached"),
    QUOTA_LEFT(Level.INFO, "application is below its quota again"),
    METADATA_LOG_FAILED(Level.ERROR, "metadata log cannot be written"),
    METADATA_LOG_RECOVERED(Level.INFO, "metadata log is written again");

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

  /** This event with another field; an empty value adds nothing. */
  public Event with(String key, Object value) {
    String text = String.valueOf(value);
    if (text.isEmpty()) {
      return this;
    }
    List<Field> more = new ArrayList<>(fields);
    more.add(new Field(key, text));
    return new Event(kind, more);
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

  /** Whether the list of events has it: only developers read those of level DEBUG. */
  public boolean isListed() {
    return level() != Level.DEBUG && level() != Level.TRACE;
  }

  /** The server that it is about, or empty. */
  public String server() {
    return value(SERVER);
  }

  /** The application that it is about, or empty. */
  public String application() {
    return value(APPLICATION);
  }

  /** What happened, then {@code key=value} pairs. */
  public String text() {
    StringBuilder text = new StringBuilder(kind.text);
    for (Field field : fields) {
      text.append(' ').append(field.key).append('=').append(field.value);
    }
    return text.toString();
  }

  /** Writes the line of the log. */
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
