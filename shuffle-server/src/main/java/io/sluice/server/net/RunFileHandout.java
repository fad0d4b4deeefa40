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

/** Finds and opens the run files that a client asks for by name. Thread-safe. */
final class RunFileHandout {
  private final long epoch;
  private final ShuffleStore store;
  private final FileReads reads;

  RunFileHandout(long epoch, ShuffleStore store, FileReads reads) {
    this.epoch = epoch;
    this.store = store;
    this.reads = reads;
  }

  /**
   * Opens files. Never fails. Each file is opened anew: a client may change flags, read-ahead and
   * position of what it is given, and must not do so for the server's own reads.
   *
   * @return channels owned by the caller, in the order of the names; empty where there is no file
   */
  CompletableFuture<List<Optional<FileChannel>>> open(RunFileRequest request) {
    Map<String, ReadableRun> found = find(request);
    List<CompletableFuture<Optional<FileChannel>>> opening = new ArrayList<>();
    for (String name : request.getNamesList()) {
      // A name that was given before is not there the second time.
      ReadableRun run = found.remove(name);
      opening.add(run == null ? CompletableFuture.completedFuture(Optional.empty()) : open(run));
    }
    return CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
        .thenApply(unused -> opening.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Optional<FileChannel>> open(ReadableRun run) {
    // After a failure the client fetches, and then learns what is wrong.
    return reads
        .openOwn(run)
        .handle(
            (channel, failure) -> {
              run.release();
              return Optional.ofNullable(channel);
            });
  }

  /** Those that there are, by name, each with a reference of the caller's. */
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
