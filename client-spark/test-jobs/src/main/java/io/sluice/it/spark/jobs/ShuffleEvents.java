package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Stores the newest {@code ShuffleState} event of every shuffle, which the plugin posts to Spark's
 * listener bus. Results contain it as {@code shuffle.ID.NAME}, where NAME is {@code refusal} (empty
 * for a shuffle that uses Sluice), {@code generation}, {@code servers} (their number) or the name
 * of a counter, such as {@code writes.pushedBytes}. Shuffles of an application without the plugin
 * have no events.
 *
 * <p>The class of the event is read by reflection, because the plugin is not on the class path of
 * the compiler, and with {@code --jars} not on that of the driver. Thread-safe.
 */
public final class ShuffleEvents extends SparkListener {
  private static final String EVENT = "io.sluice.spark.ui.ShuffleState";

  private final Map<Integer, SparkListenerEvent> newest = new TreeMap<>();

  private ShuffleEvents() {}

  /** Adds a listener to an application before its first shuffle. */
  public static ShuffleEvents of(SparkContext context) {
    ShuffleEvents events = new ShuffleEvents();
    context.addSparkListener(events);
    return events;
  }

  @Override
  public synchronized void onOtherEvent(SparkListenerEvent event) {
    if (event.getClass().getName().equals(EVENT)) {
      newest.put((Integer) field(event, "shuffleId"), event);
    }
  }

  /** Writes the state of every shuffle after all events that were posted before this call. */
  void report(SparkContext context, Properties into) {
    ShuffleMetrics.settle(context);
    synchronized (this) {
      newest.forEach((shuffle, event) -> report("shuffle." + shuffle + ".", event, into));
    }
  }

  /** The properties of {@link #report} as the text of a properties file, for Python programs. */
  public String text(SparkContext context) throws IOException {
    Properties properties = new Properties();
    report(context, properties);
    StringWriter text = new StringWriter();
    properties.store(text, null);
    return text.toString();
  }

  private static void report(String prefix, SparkListenerEvent event, Properties into) {
    into.setProperty(prefix + "refusal", field(event, "refusal").toString());
    into.setProperty(prefix + "generation", field(event, "generation").toString());
    List<?> servers = (List<?>) field(event, "servers");
    into.setProperty(prefix + "servers", Integer.toString(servers.size()));
    reportCounters(prefix, field(event, "counters"), into);
  }

  private static void reportCounters(String prefix, Object counters, Properties into) {
    for (Field counter : counters.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(counter.getModifiers())) {
        continue;
      }
      try {
        counter.setAccessible(true);
        Object value = counter.get(counters);
        if (value instanceof Number) {
          into.setProperty(prefix + counter.getName(), value.toString());
        } else if (!(value instanceof Map)) {
          // The counters of each server are not reported.
          reportCounters(prefix + counter.getName() + ".", value, into);
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read counter " + counter.getName(), e);
      }
    }
  }

  private static Object field(SparkListenerEvent event, String name) {
    try {
      return event.getClass().getField(name).get(event);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read field " + name + " of " + EVENT, e);
    }
  }
}
