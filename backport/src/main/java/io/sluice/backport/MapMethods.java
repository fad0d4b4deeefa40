package io.sluice.backport;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Newer methods of {@link Map}. */
@MethodsOf(Map.class)
public final class MapMethods {
  private MapMethods() {}

  public static <K, V> Map<K, V> of() {
    return Collections.unmodifiableMap(new LinkedHashMap<>());
  }

  public static <K, V> Map<K, V> of(K k1, V v1) {
    return ofPairs(k1, v1);
  }

  public static <K, V> Map<K, V> of(K k1, V v1, K k2, V v2) {
    return ofPairs(k1, v1, k2, v2);
  }

  public static <K, V> Map<K, V> of(K k1, V v1, K k2, V v2, K k3, V v3) {
    return ofPairs(k1, v1, k2, v2, k3, v3);
  }

  public static <K, V> Map<K, V> of(K k1, V v1, K k2, V v2, K k3, V v3, K k4, V v4) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4);
  }

  public static <K, V> Map<K, V> of(K k1, V v1, K k2, V v2, K k3, V v3, K k4, V v4, K k5, V v5) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5);
  }

  public static <K, V> Map<K, V> of(
      K k1, V v1, K k2, V v2, K k3, V v3, K k4, V v4, K k5, V v5, K k6, V v6) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6);
  }

  public static <K, V> Map<K, V> of(
      K k1, V v1, K k2, V v2, K k3, V v3, K k4, V v4, K k5, V v5, K k6, V v6, K k7, V v7) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7);
  }

  public static <K, V> Map<K, V> of(
      K k1,
      V v1,
      K k2,
      V v2,
      K k3,
      V v3,
      K k4,
      V v4,
      K k5,
      V v5,
      K k6,
      V v6,
      K k7,
      V v7,
      K k8,
      V v8) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8);
  }

  public static <K, V> Map<K, V> of(
      K k1,
      V v1,
      K k2,
      V v2,
      K k3,
      V v3,
      K k4,
      V v4,
      K k5,
      V v5,
      K k6,
      V v6,
      K k7,
      V v7,
      K k8,
      V v8,
      K k9,
      V v9) {
    return ofPairs(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8, k9, v9);
  }

  public static <K, V> Map<K, V> of(
      K k1,
      V v1,
      K k2,
      V v2,
      K k3,
      V v3,
      K k4,
      V v4,
      K k5,
      V v5,
      K k6,
      V v6,
      K k7,
      V v7,
      K k8,
      V v8,
      K k9,
      V v9,
      K k10,
      V v10) {
    return ofPairs(
        k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8, k9, v9, k10, v10);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // The entries are read only.
  public static <K, V> Map<K, V> ofEntries(Map.Entry<? extends K, ? extends V>... entries) {
    Map<K, V> map = new LinkedHashMap<>();
    for (Map.Entry<? extends K, ? extends V> entry : entries) {
      putNew(map, entry.getKey(), entry.getValue());
    }
    return Collections.unmodifiableMap(map);
  }

  public static <K, V> Map.Entry<K, V> entry(K key, V value) {
    return new AbstractMap.SimpleImmutableEntry<>(
        Objects.requireNonNull(key), Objects.requireNonNull(value));
  }

  public static <K, V> Map<K, V> copyOf(Map<? extends K, ? extends V> entries) {
    Map<K, V> map = new LinkedHashMap<>();
    entries.forEach((key, value) -> putNew(map, key, value));
    return Collections.unmodifiableMap(map);
  }

  /**
   * @param pairs a key, its value, the next key, and so on
   */
  @SuppressWarnings("unchecked") // Private; callers alternate K and V.
  private static <K, V> Map<K, V> ofPairs(Object... pairs) {
    Map<K, V> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      putNew(map, (K) pairs[i], (V) pairs[i + 1]);
    }
    return Collections.unmodifiableMap(map);
  }

  private static <K, V> void putNew(Map<K, V> map, K key, V value) {
    if (map.put(Objects.requireNonNull(key), Objects.requireNonNull(value)) != null) {
      throw new IllegalArgumentException("duplicate key " + key);
    }
  }
}
