package io.sluice.server.model;

import java.util.Map;
import java.util.TreeMap;

/** Acknowledged data of a shuffle. */
final class ModelShuffle {
  final Map<Integer, ModelPartition> partitions = new TreeMap<>();
  boolean written;

  /** Removed in the current epoch. */
  boolean forgotten;

  /** Removed in any epoch. */
  boolean everForgotten;

  boolean has(ModelBlock block) {
    ModelPartition there = partitions.get(block.partition());
    return there != null && there.has(block);
  }

  ModelPartition partition(int index) {
    return partitions.computeIfAbsent(index, unused -> new ModelPartition());
  }
}
