package io.sluice.common.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * One typed configuration key. Declared as a constant beside the component that uses it, listed in
 * that component's {@link ConfigSchema}, read through a {@link ConfigSet}. Immutable.
 *
 * <p>Names begin with {@code rss.}; an engine's prefix ({@code spark.}) is not part of the name,
 * see {@link ConfigReader#enginePrefix}. In memory, sizes are bytes and durations are milliseconds;
 * in files they have units.
 */
public final class ConfigKey<T> {
  private static final Pattern NAME = Pattern.compile("rss(\\.[A-Za-z0-9_-]+)+");

  private final Builder<T> from;
  private final List<String> deprecatedNames;
  private final Map<T, String> alsoAllowed;
  private final List<Check<T>> checks;

  private record Check<T>(Predicate<T> condition, String demand) {}

  private ConfigKey(Builder<T> from) {
    this.from = from;
    this.deprecatedNames = List.copyOf(from.deprecatedNames);
    this.alsoAllowed = new LinkedHashMap<>(from.alsoAllowed);
    this.checks = List.copyOf(from.checks);
  }

  public static Builder<String> string(String name) {
    return new Builder<>(name, ValueType.string(), null);
  }

  /** A local path, also as a {@code file://} URI; {@link ConfigSet#findPath} reads it. */
  public static Builder<String> localPath(String name) {
    return string(name)
        .check(
            path ->
                !path.isEmpty()
                    && (path.startsWith(ConfigSet.FILE_SCHEME) || !path.contains("://")),
            "a local path, with or without file://");
  }

  public static Builder<Integer> integer(String name) {
    return new Builder<>(name, ValueType.integer(), Comparator.naturalOrder());
  }

  public static Builder<Long> longNumber(String name) {
    return new Builder<>(name, ValueType.longNumber(), Comparator.naturalOrder());
  }

  public static Builder<Boolean> bool(String name) {
    return new Builder<>(name, ValueType.bool(), null);
  }

  /** Case does not matter; {@code -} may replace {@code _}. */
  public static <E extends Enum<E>> Builder<E> enumeration(String name, Class<E> type) {
    return new Builder<>(name, ValueType.enumeration(type), null);
  }

  /** A size: bytes in memory, {@code 64MiB} in a file. */
  public static Builder<Long> dataSize(String name) {
    return new Builder<>(name, ValueType.dataSize(), Comparator.naturalOrder());
  }

  /**
   * A duration: milliseconds in memory, {@code 10s} in a file. A number without a unit counts
   * seconds if the key's name ends in {@code sec} or {@code Sec}, else milliseconds.
   */
  public static Builder<Long> durationMs(String name) {
    boolean seconds = name.endsWith(".sec") || name.endsWith("Sec");
    return durationMs(name, seconds ? TimeUnit.SECONDS : TimeUnit.MILLISECONDS);
  }

  /** As {@link #durationMs(String)}, with an explicit unit for numbers without a unit. */
  public static Builder<Long> durationMs(String name, TimeUnit plainUnit) {
    return new Builder<>(name, ValueType.durationMs(plainUnit), Comparator.naturalOrder());
  }

  /** A number with a fraction. */
  public static Builder<Double> decimal(String name) {
    return new Builder<>(name, ValueType.decimal(), Comparator.naturalOrder());
  }

  /** 0 to 100, written {@code 75} or {@code 75%}. */
  public static Builder<Double> percent(String name) {
    return new Builder<>(name, ValueType.percent(), Comparator.<Double>naturalOrder())
        .atLeast(0.0)
        .atMost(100.0);
  }

  /** Comma-separated; blanks around elements and empty elements are dropped. */
  public static Builder<List<String>> strings(String name) {
    return new Builder<>(
        name, ValueType.listOf("comma-separated list", text -> text, text -> text), null);
  }

  /** A host in the form of {@link HostText#canonical}; empty: not set. */
  public static Builder<String> host(String name) {
    return new Builder<>(
        name,
        new ValueType<>(
            "host name, IPv4 or IPv6 address",
            text -> text.isEmpty() ? text : HostText.canonical(text),
            host -> host),
        null);
  }

  /** Comma-separated {@code host:port}. */
  public static Builder<List<HostPort>> hostPorts(String name) {
    return new Builder<>(
        name,
        ValueType.listOf("comma-separated host:port", HostPort::parse, HostPort::toString),
        null);
  }

  public String name() {
    return from.name;
  }

  /** Empty when the key is required or may be absent. */
  public Optional<T> defaultValue() {
    return Optional.ofNullable(from.defaultValue);
  }

  public boolean isRequired() {
    return from.required;
  }

  /** Whether the value is hidden in logs and error messages. */
  public boolean isSecret() {
    return from.secret;
  }

  /** Whether a running process applies a new value when its configuration is reloaded. */
  public boolean isReloadable() {
    return from.reloadable;
  }

  public String doc() {
    return from.doc;
  }

  /** Earlier names, which are accepted with a warning. */
  public List<String> deprecatedNames() {
    return deprecatedNames;
  }

  /** Description of valid values: type, limits, special values. */
  public String valueForm() {
    StringBuilder form = new StringBuilder(from.type.form());
    if (from.min != null && from.max != null) {
      form.append(", ").append(print(from.min)).append(" to ").append(print(from.max));
    } else if (from.min != null) {
      form.append(", at least ").append(print(from.min));
    } else if (from.max != null) {
      form.append(", at most ").append(print(from.max));
    }
    for (Map.Entry<T, String> special : alsoAllowed.entrySet()) {
      form.append("; ").append(print(special.getKey())).append(": ").append(special.getValue());
    }
    for (Check<T> check : checks) {
      form.append("; ").append(check.demand);
    }
    return form.toString();
  }

  /** The default as written in a file, or its description; empty if there is no default. */
  public String defaultText() {
    if (from.defaultText != null) {
      return from.defaultText;
    }
    return from.defaultValue == null ? "" : print(from.defaultValue);
  }

  /** Whether {@link #defaultText} is a description rather than a value. */
  boolean hasDescribedDefault() {
    return from.defaultText != null;
  }

  /** A value as written in a file; {@link #parse} reads it back. */
  public String print(T value) {
    return from.type.printer().apply(value);
  }

  /**
   * Reads and checks a value.
   *
   * @throws IllegalArgumentException with the problem and the expected form, without the key's name
   *     and without the value of a secret
   */
  public T parse(String text) {
    T value;
    try {
      value = from.type.parser().apply(text.strip());
    } catch (IllegalArgumentException unreadable) {
      throw from.secret
          ? new IllegalArgumentException("the value (not shown) is not a " + from.type.form())
          : unreadable;
    }
    if (!alsoAllowed.containsKey(value)) {
      checkLimits(value);
    }
    return value;
  }

  private void checkLimits(T value) {
    if (from.min != null && from.order.compare(value, from.min) < 0) {
      throw new IllegalArgumentException(
          shown(value) + " is too small; expected at least " + print(from.min) + specials());
    }
    if (from.max != null && from.order.compare(value, from.max) > 0) {
      throw new IllegalArgumentException(
          shown(value) + " is too large; expected at most " + print(from.max) + specials());
    }
    for (Check<T> check : checks) {
      if (!check.condition.test(value)) {
        String shown = shown(value);
        throw new IllegalArgumentException(
            (shown.isEmpty() ? "an empty value" : shown)
                + " is not allowed; expected: "
                + check.demand);
      }
    }
  }

  private String shown(T value) {
    return from.secret ? "the value (not shown)" : print(value);
  }

  private String specials() {
    StringBuilder text = new StringBuilder();
    alsoAllowed.forEach(
        (value, meaning) ->
            text.append(", or ").append(print(value)).append(" (").append(meaning).append(')'));
    return text.toString();
  }

  @Override
  public String toString() {
    return name();
  }

  /** Collects the properties of a key; {@link #build} checks them. Confined to one thread. */
  public static final class Builder<T> {
    private final String name;
    private final ValueType<T> type;
    private final Comparator<T> order;
    private final List<String> deprecatedNames = new ArrayList<>();
    private final Map<T, String> alsoAllowed = new LinkedHashMap<>();
    private final List<Check<T>> checks = new ArrayList<>();
    private T defaultValue;
    private String defaultText;
    private T min;
    private T max;
    private String doc;
    private boolean secret;
    private boolean required;
    private boolean reloadable;

    private Builder(String name, ValueType<T> type, Comparator<T> order) {
      this.name = name;
      this.type = type;
      this.order = order;
    }

    public Builder<T> defaultValue(T value) {
      this.defaultValue = value;
      return this;
    }

    /** Description of the default in the documentation, if the default depends on the host. */
    public Builder<T> defaultText(String text) {
      this.defaultText = text;
      return this;
    }

    /** The key has no default and must be set. */
    public Builder<T> required() {
      this.required = true;
      return this;
    }

    public Builder<T> atLeast(T minimum) {
      demandOrder();
      this.min = minimum;
      return this;
    }

    public Builder<T> atMost(T maximum) {
      demandOrder();
      this.max = maximum;
      return this;
    }

    /**
     * Allows a value outside the limits with a special meaning, such as -1.
     *
     * @param meaning for the documentation, such as "a share of the machine's memory"
     */
    public Builder<T> alsoAllow(T value, String meaning) {
      alsoAllowed.put(value, meaning);
      return this;
    }

    /**
     * A condition on the value.
     *
     * @param demand description of valid values, such as "a power of two"
     */
    public Builder<T> check(Predicate<T> condition, String demand) {
      checks.add(new Check<>(condition, demand));
      return this;
    }

    /** An earlier name of this key with the same meaning. */
    public Builder<T> deprecatedName(String earlier) {
      deprecatedNames.add(earlier);
      return this;
    }

    /** The value is never printed. */
    public Builder<T> secret() {
      this.secret = true;
      return this;
    }

    /** A running process applies a new value when its configuration is reloaded. */
    public Builder<T> reloadable() {
      this.reloadable = true;
      return this;
    }

    /** Description of the key, in sentences, for the documentation page. */
    public Builder<T> doc(String text) {
      this.doc = text;
      return this;
    }

    public ConfigKey<T> build() {
      demand(NAME.matcher(name).matches(), "the name of a key must be rss.area.name");
      demand(doc != null && !doc.isBlank(), "a key must have a doc text");
      demand(!(required && defaultValue != null), "a required key must not have a default");
      ConfigKey<T> key = new ConfigKey<>(this);
      if (defaultValue != null && !alsoAllowed.containsKey(defaultValue)) {
        key.checkLimits(defaultValue);
      }
      return key;
    }

    private void demandOrder() {
      demand(order != null, "values of this type have no order");
    }

    private void demand(boolean condition, String what) {
      if (!condition) {
        throw new IllegalArgumentException("declaration of " + name + ": " + what);
      }
    }
  }
}
