package io.sluice.coordinator.admin;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.api.ApiException;
import io.sluice.coordinator.cluster.ExcludeFile;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is taken out of assignment. With an exclude file, the file says it: it is read again and
 * again, and an operator's act changes it, so that a restart of the coordinator changes nothing.
 * Without one, acts hold until the coordinator ends.
 *
 * <p>Thread-safe; the file belongs to one thread.
 */
public final class Exclusions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Exclusions.class);

  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int UNAVAILABLE = 503;

  private final Optional<ExcludeFile> file;
  private final LongSupplier readIntervalMs;
  private final StateOwner owner;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-exclusions", true));

  /** What to do with the list; on the file's thread. */
  private interface Change {
    ExcludeList apply() throws IOException, ApiException;
  }

  /**
   * @param readIntervalMs how often the file is read; asked before each wait
   */
  public Exclusions(Optional<ExcludeFile> file, LongSupplier readIntervalMs, StateOwner owner) {
    this.file = file;
    this.readIntervalMs = readIntervalMs;
    this.owner = owner;
  }

  /**
   * Reads the file for the first time. What it says is in the state's queue when this returns, and
   * so before the first call: no shuffle goes to a server that was excluded before the start.
   */
  public void start() {
    file.ifPresent(
        present -> {
          CompletableFuture<ExcludeList> unused = note(present.read());
          readLater(present);
        });
  }

  private void readLater(ExcludeFile present) {
    Future<?> unused =
        executor.schedule(
            () -> {
              try {
                ExcludeList found = present.read();
                if (!found.equals(owner.view().excluded())) {
                  CompletableFuture<ExcludeList> unusedToo = note(found);
                }
              } catch (RuntimeException e) {
                // An exception would end the reading for good.
                log.error("exclude file not read", e);
              }
              readLater(present);
            },
            readIntervalMs.getAsLong(),
            TimeUnit.MILLISECONDS);
  }

  /** Where exclusions are kept; empty: nowhere. */
  public Optional<Path> file() {
    return file.map(ExcludeFile::path);
  }

  /**
   * Takes a server, or all of a host, out of assignment.
   *
   * @param name of a known server, or a host of one
   * @return completed when no shuffle is assigned to it any more
   */
  public CompletionStage<ExcludeList> exclude(String name) {
    return change(
        () -> {
          ExcludeList now = owner.view().excluded();
          ExcludeList more = ExcludeList.parse(List.of(name));
          if (owner.view().servers().all().stream().noneMatch(s -> more.excludes(s.id()))) {
            throw new ApiException(
                NOT_FOUND,
                "no server or host of that name is known here: " + PeerText.quoted(name));
          }
          if (now.contains(name)) {
            return now;
          }
          if (file.isPresent()) {
            file.get().add(name);
            return file.get().read();
          }
          return now.with(more);
        });
  }

  /**
   * Gives a server, or a host, back to assignment.
   *
   * @param name of a server, or an entry of the list as it is
   */
  public CompletionStage<ExcludeList> include(String name) {
    return change(
        () -> {
          ExcludeList now = owner.view().excluded();
          Set<String> entries = new HashSet<>();
          if (now.contains(name)) {
            entries.add(name);
          }
          Server server = owner.view().servers().get(name);
          if (server != null) {
            entries.addAll(now.entriesOf(server.id()));
            String host = server.id().getHost();
            if (!host.equals(name) && now.contains(host)) {
              throw new ApiException(
                  CONFLICT,
                  name + " is excluded with every server of its host; include the host: " + host);
            }
          }
          if (entries.isEmpty()) {
            if (server != null) {
              return now;
            }
            throw new ApiException(
                NOT_FOUND,
                "neither a known server nor an entry of the list: " + PeerText.quoted(name));
          }
          if (file.isPresent()) {
            file.get().remove(entries);
            return file.get().read();
          }
          return now.without(entries);
        });
  }

  private CompletionStage<ExcludeList> change(Change change) {
    CompletableFuture<ExcludeList> done = new CompletableFuture<>();
    try {
      executor.execute(
          () -> {
            try {
              CompletionStage<ExcludeList> unused =
                  note(change.apply())
                      .whenComplete(
                          (list, failure) -> {
                            if (failure == null) {
                              done.complete(list);
                            } else {
                              done.completeExceptionally(
                                  new ApiException(UNAVAILABLE, "not now: " + failure, failure));
                            }
                          });
            } catch (IOException e) {
              done.completeExceptionally(new ApiException(CONFLICT, e.getMessage(), e));
            } catch (ApiException | RuntimeException e) {
              done.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(new ApiException(UNAVAILABLE, "the coordinator stops", e));
    }
    return done;
  }

  private CompletableFuture<ExcludeList> note(ExcludeList excluded) {
    return owner
        .ask(
            (view, nowMs) ->
                view.excluded().equals(excluded)
                    ? Decision.unchanged(excluded)
                    : Decision.of(new MetadataRecord.ExclusionsChanged(excluded), excluded))
        .whenComplete(
            (list, failure) -> {
              if (failure != null) {
                log.warn("exclusions not noted yet excluded={}", excluded.size(), failure);
              }
            });
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
