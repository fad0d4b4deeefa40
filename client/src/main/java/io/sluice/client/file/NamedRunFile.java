package io.sluice.client.file;

import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;

/**
 * Kind and name of a run file, as reported by a server. It is the key of lookups instead of the
 * protobuf message, because hashing a message loads all protobuf descriptors, which delays the
 * start of a process.
 */
public record NamedRunFile(RunFileKind kind, String name) {
  public static NamedRunFile of(RunFileLocation location) {
    return new NamedRunFile(location.getKind(), location.getName());
  }
}
