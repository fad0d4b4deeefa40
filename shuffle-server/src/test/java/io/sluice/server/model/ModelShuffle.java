package io.sluice.server.model;

import java.util.Map;
import java.util.TreeMap;

/** What was acknowledged of a shuffle. */
final class ModelShuffle {
  final Map<Integer, ModelPartition> partitions = new TreeMap<>();
  boolean written;

  /** In this life of the server. */
  boolean forgotten;

  /** In any. */
  boolean everForgotten;

  ModelPartition partition(int index) {
    return partitions.computeIfAbsent(index, unused -> new ModelPartition());
  }
}
