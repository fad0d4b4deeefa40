package io.sluice.server.service;

import io.sluice.proto.LocatedStretch;
import io.sluice.proto.PartitionState;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Collects, for one reply, the file locations of byte ranges that the client may read directly from
 * run files.
 */
final class DirectReadLocations {
  /**
   * About 1 MiB of a reply, whose head is at most 16 MiB. Clients fetch ranges without a location.
   */
  private static final int MAX_STRETCHES = 40_000;

  /** Index of a file that clients cannot read directly. */
  private static final int NOT_READABLE = -1;

  private final ShuffleLog log;
  private final boolean withLocal;
  private final boolean withRemote;
  private final List<RunFileLocation> locations = new ArrayList<>();
  private final IdentityHashMap<StoredRun, Integer> files = new IdentityHashMap<>();
  private int stretches;

  /**
   * @param withLocal whether the client wants local files and can get their descriptors
   * @param withRemote whether the client wants remote files and the server has a remote tier
   */
  DirectReadLocations(ShuffleLog log, boolean withLocal, boolean withRemote) {
    this.log = log;
    this.withLocal = withLocal;
    this.withRemote = withRemote;
  }

  /** Files of the locations added so far, in the order of their index. */
  List<RunFileLocation> files() {
    return locations;
  }

  /** Adds the locations of a partition's bytes in files, up to the length in {@code state}. */
  void addTo(PartitionState.Builder state) {
    if (!withLocal && !withRemote) {
      return;
    }
    for (LocatedExtent extent : log.located(state.getPartition())) {
      long length = Math.min(extent.length(), state.getLength() - extent.offset());
      if (stretches >= MAX_STRETCHES || length <= 0) {
        return;
      }
      if (extent.run() instanceof ReadableRun run) {
        int file = files.computeIfAbsent(run, this::add);
        if (file != NOT_READABLE) {
          stretches++;
          state.addLocated(
              LocatedStretch.newBuilder()
                  .setOffset(extent.offset())
                  .setLength(length)
                  .setFile(file)
                  .setFileOffset(extent.fileOffset()));
        }
      }
    }
  }

  private int add(StoredRun stored) {
    ReadableRun run = (ReadableRun) stored;
    RunFileLocation.Builder location = RunFileLocation.newBuilder();
    if (run.disk().kind() == StorageKind.REMOTE) {
      Optional<String> path =
          withRemote ? run.disk().storage().location(run.name()) : Optional.empty();
      if (path.isEmpty()) {
        return NOT_READABLE;
      }
      location.setKind(RunFileKind.REMOTE_FILE).setName(path.get());
    } else if (withLocal) {
      location.setKind(RunFileKind.LOCAL_FILE).setName(run.name());
    } else {
      return NOT_READABLE;
    }
    locations.add(location.build());
    return locations.size() - 1;
  }
}
