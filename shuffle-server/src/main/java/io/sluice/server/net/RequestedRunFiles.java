package io.sluice.server.net;

import io.sluice.proto.RunFileRequest;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
import io.sluice.server.read.FileReads;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Finds and opens the run files that a client requests by name. Thread-safe. */
final class RequestedRunFiles {
  private final long epoch;
  private final ShuffleStore store;
  private final FileReads reads;

  RequestedRunFiles(long epoch, ShuffleStore store, FileReads reads) {
    this.epoch = epoch;
    this.store = store;
    this.reads = reads;
  }

  /**
   * Opens files. Never fails. Each file gets a new open file description, because a client may
   * change its flags, read-ahead and position. These changes must not affect reads of the server.
   *
   * @return channels owned by the caller, in the order of the names; empty for a file that does not
   *     exist or cannot be opened
   */
  CompletableFuture<List<Optional<FileChannel>>> open(RunFileRequest request) {
    Map<String, ReadableRun> found = find(request);
    List<CompletableFuture<Optional<FileChannel>>> opening = new ArrayList<>();
    for (String name : request.getNamesList()) {
      // Removed, so that a repeated name is answered as absent.
      ReadableRun run = found.remove(name);
      opening.add(run == null ? CompletableFuture.completedFuture(Optional.empty()) : open(run));
    }
    return CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
        .thenApply(unused -> opening.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Optional<FileChannel>> open(ReadableRun run) {
    // After a failure the client fetches, and the fetch reports the cause.
    return reads
        .openOwn(run)
        .handle(
            (channel, failure) -> {
              run.release();
              return Optional.ofNullable(channel);
            });
  }

  /** Existing files by name, each with a reference that the caller releases. */
  private Map<String, ReadableRun> find(RunFileRequest request) {
    Map<String, ReadableRun> found = new HashMap<>();
    ShuffleLog log =
        store.find(
            new ShuffleKey(
                request.getShuffle().getApplication(), request.getShuffle().getShuffle()));
    if (log == null || request.getEpoch() != epoch) {
      return found;
    }
    Set<String> names = Set.copyOf(request.getNamesList());
    for (StoredRun run :
        log.retainRuns(
            run ->
                run instanceof ReadableRun readable
                    && names.contains(readable.name())
                    && readable.disk().kind() != StorageKind.REMOTE)) {
      ReadableRun readable = (ReadableRun) run;
      found.put(readable.name(), readable);
    }
    return found;
  }
}
