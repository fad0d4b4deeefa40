package io.sluice.common.config;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads the configuration of a running process. Changes of reloadable keys are applied together
 * or not at all; changes of other keys are only reported. Thread-safe.
 */
public final class ConfigReload {
  private static final Logger log = LoggerFactory.getLogger(ConfigReload.class);

  private final Supplier<ConfigSet> source;
  private final Consumer<ConfigSet> apply;
  // Guarded by this: the configuration in use.
  private ConfigSet current;

  /**
   * Result of a reload.
   *
   * @param applied changes that are in effect now
   * @param restartNeeded changes that need a restart; reported at each reload until then
   */
  public record Outcome(List<ConfigChange> applied, List<ConfigChange> restartNeeded) {
    public Outcome {
      applied = List.copyOf(applied);
      restartNeeded = List.copyOf(restartNeeded);
    }
  }

  /**
   * @param current configuration at process start
   * @param source reads the configuration again; throws {@link ConfigException}
   * @param apply applies the values of reloadable keys; other keys are unchanged. Called on the
   *     thread of {@link #reload}, one call at a time; throws {@link ConfigException} if it applies
   *     nothing
   */
  public ConfigReload(ConfigSet current, Supplier<ConfigSet> source, Consumer<ConfigSet> apply) {
    this.current = current;
    this.source = source;
    this.apply = apply;
  }

  /**
   * Reads and applies.
   *
   * @throws ConfigException with all problems; nothing has changed then
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
      log.warn(
          "configuration not reloaded, the previous values stay in use reason=\"{}\"", oneLine(e));
      throw e;
    }
    List<ConfigChange> applied = current.changesTo(next);
    List<ConfigChange> restartNeeded = next.changesTo(found);
    current = next;
    log.info("configuration reloaded applied={} restartNeeded={}", applied, restartNeeded);
    return new Outcome(applied, restartNeeded);
  }

  /** All keys with the values in use; empty if the process was started without a configuration. */
  public synchronized List<ConfigEntry> entries() {
    return current == null ? List.of() : current.entries();
  }

  /** All problems of a configuration in one line. */
  public static String oneLine(ConfigException e) {
    return String.join("; ", e.problems());
  }
}
