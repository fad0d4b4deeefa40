package io.sluice.client.file;

import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;

/**
 * A run file as a server named it. Files are looked up by it, and not by the message: hashing a
 * message loads what protobuf knows of every one, which a process that is new feels.
 */
public record NamedRunFile(RunFileKind kind, String name) {
  public static NamedRunFile of(RunFileLocation location) {
    return new NamedRunFile(location.getKind(), location.getName());
  }
}
