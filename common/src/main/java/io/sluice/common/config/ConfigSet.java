package io.sluice.common.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The values of one schema's keys, read and checked by {@link ConfigReader}. Immutable. Components
 * copy its values into their own records at start and do not keep it.
 */
public final class ConfigSet {
  static final String FILE_SCHEME = "file://";

  private static final String HIDDEN = "(hidden)";

  /** User name and password of an address. */
  private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/@\\s,]+@");

  private final ConfigSchema schema;
  private final Map<ConfigKey<?>, Object> values;
  private final Map<ConfigKey<?>, String> sources;
  private final Map<ConfigSchema.Family, Map<String, String>> passedOn;
  private final List<String> notices;

  /**
   * @param sources where each value was set
   */
  ConfigSet(
      ConfigSchema schema,
      Map<ConfigKey<?>, Object> values,
      Map<ConfigKey<?>, String> sources,
      Map<ConfigSchema.Family, Map<String, String>> passedOn,
      List<String> notices) {
    this.schema = schema;
    this.values = new LinkedHashMap<>(values);
    this.sources = Map.copyOf(sources);
    this.passedOn = new LinkedHashMap<>(passedOn);
    this.notices = List.copyOf(notices);
  }

  /**
   * Reads a map of full names without an engine's prefix; see {@link ConfigReader} for more.
   *
   * @throws ConfigException with every problem
   */
  public static ConfigSet of(ConfigSchema schema, Map<String, String> values) {
    return ConfigReader.of(schema).values("configuration", values).read();
  }

  public ConfigSchema schema() {
    return schema;
  }

  /**
   * The value, or the default.
   *
   * @throws IllegalStateException if there is neither a value nor a default: use {@link #find} for
   *     optional keys
   */
  public <T> T get(ConfigKey<T> key) {
    return find(key)
        .orElseThrow(
            () -> new IllegalStateException(key.name() + " has neither value nor default"));
  }

  /** The value, or the default, or empty if there is neither. */
  public <T> Optional<T> find(ConfigKey<T> key) {
    if (!schema.declares(key)) {
      throw new IllegalArgumentException(
          "schema " + schema.name() + " does not declare " + key.name());
    }
    @SuppressWarnings("unchecked") // The reader stores values parsed by the key itself.
    T value = (T) values.get(key);
    return value == null ? key.defaultValue() : Optional.of(value);
  }

  /** Whether a value was set explicitly, even if it equals the default. */
  public boolean isSet(ConfigKey<?> key) {
    return values.containsKey(key);
  }

  /** The set keys of a family, by the part of their names after the family's prefix. */
  public Map<String, String> passedOn(ConfigSchema.Family family) {
    if (!schema.passedOn().contains(family)) {
      throw new IllegalArgumentException(
          "schema " + schema.name() + " does not pass on " + family.prefix() + "*");
    }
    return Map.copyOf(passedOn.getOrDefault(family, Map.of()));
  }

  /**
   * Lines for the log: keys without effect, deprecated names, keys set twice and, for engines,
   * unknown keys.
   */
  public List<String> notices() {
    return notices;
  }

  /**
   * A path that is set or has a default, without {@code file://}.
   *
   * @throws ConfigException if the value is not a valid path on this system
   */
  public Optional<Path> findPath(ConfigKey<String> key) {
    Optional<String> text = find(key);
    try {
      return text.map(
          path ->
              Path.of(path.startsWith(FILE_SCHEME) ? path.substring(FILE_SCHEME.length()) : path));
    } catch (InvalidPathException e) {
      throw new ConfigException(key.name() + " is not a path: " + e.getReason());
    }
  }

  /** The keys whose values differ in {@code later}, in the schema's order. */
  List<ConfigChange> changesTo(ConfigSet later) {
    List<ConfigChange> changes = new ArrayList<>();
    for (ConfigKey<?> key : schema.keys()) {
      if (!find(key).equals(later.find(key))) {
        changes.add(
            new ConfigChange(
                key.name(), shownOrNothing(key), later.shownOrNothing(key), key.isReloadable()));
      }
    }
    for (ConfigSchema.Family family : schema.passedOn()) {
      if (!passedOn(family).equals(later.passedOn(family))) {
        changes.add(new ConfigChange(family.prefix() + "*", HIDDEN, HIDDEN, false));
      }
    }
    return changes;
  }

  /**
   * These values, with the reloadable keys' values replaced by those of {@code later}.
   *
   * @throws ConfigException if the result breaks a rule of the schema
   */
  ConfigSet reloaded(ConfigSet later) {
    Map<ConfigKey<?>, Object> mixed = new LinkedHashMap<>(values);
    Map<ConfigKey<?>, String> mixedSources = new HashMap<>(sources);
    for (ConfigKey<?> key : schema.keys()) {
      if (key.isReloadable()) {
        mixed.remove(key);
        mixedSources.remove(key);
        if (later.values.containsKey(key)) {
          mixed.put(key, later.values.get(key));
          mixedSources.put(key, later.sources.get(key));
        }
      }
    }
    ConfigSet set = new ConfigSet(schema, mixed, mixedSources, passedOn, later.notices);
    List<String> problems = new ArrayList<>();
    schema.rules().forEach(rule -> rule.apply(set).ifPresent(problems::add));
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return set;
  }

  /**
   * All keys in the schema's order, then the set keys of families, whose values are hidden. For
   * operators: secrets, and user names and passwords in addresses, are hidden.
   */
  List<ConfigEntry> entries() {
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey<?> key : schema.keys()) {
      entries.add(
          new ConfigEntry(
              key.name(), shownOrNothing(key), sources.getOrDefault(key, ConfigEntry.DEFAULT)));
    }
    for (ConfigSchema.Family family : schema.passedOn()) {
      passedOn(family).keySet().stream()
          .sorted()
          .forEach(
              name ->
                  entries.add(new ConfigEntry(family.prefix() + name, HIDDEN, ConfigEntry.SET)));
    }
    return entries;
  }

  private String shownOrNothing(ConfigKey<?> key) {
    return find(key).isPresent() ? shown(key) : "";
  }

  /** The keys that were set, as {@code name=value} with secrets hidden, for one line of the log. */
  public String describe() {
    StringBuilder text = new StringBuilder();
    for (ConfigKey<?> key : schema.keys()) {
      if (values.containsKey(key)) {
        text.append(text.isEmpty() ? "" : " ").append(key.name()).append('=').append(shown(key));
      }
    }
    return text.toString();
  }

  private <T> String shown(ConfigKey<T> key) {
    return key.isSecret()
        ? HIDDEN
        : USER_INFO.matcher(key.print(get(key))).replaceAll(HIDDEN + "@");
  }

  @Override
  public String toString() {
    return schema.name() + "{" + describe() + "}";
  }
}
