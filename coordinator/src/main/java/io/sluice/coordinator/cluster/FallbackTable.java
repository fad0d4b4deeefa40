package io.sluice.coordinator.cluster;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The latest fallback report of each application that has not ended. When the table is full, the
 * oldest reports are removed. It survives a restart, unlike the live applications. Immutable.
 */
public final class FallbackTable {
  public static final FallbackTable EMPTY = new FallbackTable(Map.of());

  /** Maximum number of reports, about 300 bytes each. */
  public static final int CAPACITY = 1000;

  /** In the order of the reports; never changed after construction. */
  private final Map<String, Fallbacks> byApplication;

  private FallbackTable(Map<String, Fallbacks> byApplication) {
    this.byApplication = byApplication;
  }

  /** Returns the latest report of an application; {@link Fallbacks#NONE} if there is none. */
  public Fallbacks of(String application) {
    return byApplication.getOrDefault(application, Fallbacks.NONE);
  }

  /** Returns all reports, the oldest first. */
  public Map<String, Fallbacks> all() {
    return byApplication;
  }

  public FallbackTable with(String application, Fallbacks reported) {
    Map<String, Fallbacks> changed = new LinkedHashMap<>(byApplication);
    changed.remove(application);
    changed.put(application, reported);
    if (changed.size() > CAPACITY) {
      changed.remove(changed.keySet().iterator().next());
    }
    return new FallbackTable(Collections.unmodifiableMap(changed));
  }

  public FallbackTable without(String application) {
    if (!byApplication.containsKey(application)) {
      return this;
    }
    Map<String, Fallbacks> changed = new LinkedHashMap<>(byApplication);
    changed.remove(application);
    return new FallbackTable(Collections.unmodifiableMap(changed));
  }
}
