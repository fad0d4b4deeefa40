package io.sluice.common.config;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration of a running process again. What can change while it runs does, all of it
 * or nothing; of the rest only the names are told. Thread-safe.
 */
public final class ConfigReload {
  private static final Logger log = LoggerFactory.getLogger(ConfigReload.class);

  private final Supplier<ConfigSet> source;
  private final Consumer<ConfigSet> apply;
  // Guarded by this: what the process runs with.
  private ConfigSet current;

  /**
   * What a reading has brought.
   *
   * @param applied holds from now on
   * @param restartNeeded holds after a restart; told again each time until then
   */
  public record Outcome(List<ConfigChange> applied, List<ConfigChange> restartNeeded) {
    public Outcome {
      applied = List.copyOf(applied);
      restartNeeded = List.copyOf(restartNeeded);
    }
  }

  /**
   * @param current what the process was started with
   * @param source reads it anew; throws {@link ConfigException}
   * @param apply takes the values of reloadable keys; the others are as before. Called by whoever
   *     reloads, one at a time, and throws {@link ConfigException} if it takes none of them
   */
  public ConfigReload(ConfigSet current, Supplier<ConfigSet> source, Consumer<ConfigSet> apply) {
    this.current = current;
    this.source = source;
    this.apply = apply;
  }

  /**
   * Reads and applies.
   *
   * @throws ConfigException what is wrong; everything is as before then
   */
  public synchronized Outcome reload() {
    ConfigSet found;
    ConfigSet next;
    try {
      found = source.get();
      next = current.reloaded(found);
      if (!current.changesTo(next).isEmpty()) {
        apply.accept(next);
      }
    } catch (ConfigException e) {
      log.warn("configuration not reloaded, what held before holds reason={}", oneLine(e));
      throw e;
    }
    List<ConfigChange> applied = current.changesTo(next);
    List<ConfigChange> restartNeeded = next.changesTo(found);
    current = next;
    log.info("configuration reloaded applied={} restartNeeded={}", applied, restartNeeded);
    return new Outcome(applied, restartNeeded);
  }

  /** All problems of a configuration in one line. */
  public static String oneLine(ConfigException e) {
    return String.join("; ", e.problems());
  }
}
