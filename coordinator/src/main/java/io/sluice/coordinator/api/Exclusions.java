package io.sluice.coordinator.api;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers taken out of assignment: those of the exclude file, which operators edit and which is
 * read again and again, and those excluded over the API, which the metadata log has.
 *
 * <p>Thread-safe; the file belongs to one thread.
 */
public final class Exclusions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Exclusions.class);

  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final Optional<ExcludeFile> file;
  private final long checkIntervalMs;
  private final StateOwner owner;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-exclusions", true));

  /**
   * @param checkIntervalMs how often the file is read
   */
  public Exclusions(Optional<ExcludeFile> file, long checkIntervalMs, StateOwner owner) {
    this.file = file;
    this.checkIntervalMs = checkIntervalMs;
    this.owner = owner;
  }

  /**
   * Reads the file for the first time. Its entries are in the state's queue when this returns, and
   * so before the first call: no shuffle goes to a server that was excluded before the start.
   */
  public void start() {
    file.ifPresent(
        present -> {
          note(present.read());
          Future<?> unused =
              executor.scheduleWithFixedDelay(
                  () -> readAgain(present),
                  checkIntervalMs,
                  checkIntervalMs,
                  TimeUnit.MILLISECONDS);
        });
  }

  private void readAgain(ExcludeFile present) {
    try {
      ExcludeList found = present.read();
      if (!found.equals(owner.view().orders().excludedByFile())) {
        note(found);
      }
    } catch (RuntimeException e) {
      // An exception would end the reading for good.
      log.error("exclude file not read", e);
    }
  }

  /** The exclude file, if there is one. */
  public Optional<Path> file() {
    return file.map(ExcludeFile::path);
  }

  /**
   * Takes a server, or all of a host, out of assignment.
   *
   * @param name of a known server, or a host of one
   * @return all exclusions, once no shuffle is assigned to it any more
   */
  public CompletionStage<ExcludeList> exclude(String name) {
    return Attempt.ask(owner, (view, nowMs) -> excluded(view, name));
  }

  /**
   * Gives a server, or a host, back to assignment.
   *
   * @param name of a server, or an entry of the list as it is
   */
  public CompletionStage<ExcludeList> include(String name) {
    return Attempt.ask(owner, (view, nowMs) -> included(view, name));
  }

  private static Decision<Attempt<ExcludeList>> excluded(ClusterView view, String name) {
    ExcludeList more = ExcludeList.parse(List.of(name));
    if (view.servers().all().stream().noneMatch(server -> more.excludes(server.id()))) {
      return Attempt.refused(
          NOT_FOUND, "no server or host of that name is known here: " + PeerText.quoted(name));
    }
    return set(view, view.orders().excludedByApi().with(more));
  }

  private Decision<Attempt<ExcludeList>> included(ClusterView view, String name) {
    Set<String> entries = new HashSet<>();
    if (view.excluded().contains(name)) {
      entries.add(name);
    }
    Server server = view.servers().get(name);
    if (server != null) {
      entries.addAll(view.excluded().entriesOf(server.id()));
      String host = server.id().getHost();
      if (!host.equals(name) && view.excluded().contains(host)) {
        return Attempt.refused(
            CONFLICT,
            name + " is excluded with every server of its host; include the host: " + host);
      }
    }
    if (entries.isEmpty() && server == null) {
      return Attempt.refused(
          NOT_FOUND, "neither a known server nor an entry of the list: " + PeerText.quoted(name));
    }
    for (String entry : entries) {
      if (view.orders().excludedByFile().contains(entry)) {
        return Attempt.refused(
            CONFLICT,
            entry
                + " is excluded by the file "
                + file().map(Path::toString).orElse("")
                + "; remove its line there, the file is read again");
      }
    }
    return set(view, view.orders().excludedByApi().without(entries));
  }

  private static Decision<Attempt<ExcludeList>> set(ClusterView view, ExcludeList byApi) {
    ExcludeList all = view.orders().excludedByFile().with(byApi);
    return byApi.equals(view.orders().excludedByApi())
        ? Attempt.of(List.of(), all)
        : Attempt.of(List.of(new LoggedChange.ExclusionsSet(byApi)), all);
  }

  private void note(ExcludeList found) {
    CompletableFuture<Integer> unused =
        owner
            .ask(
                (view, nowMs) ->
                    view.orders().excludedByFile().equals(found)
                        ? Decision.unchanged(found.size())
                        : Decision.of(new MetadataRecord.ExcludeFileChanged(found), found.size()))
            .whenComplete(
                (size, failure) -> {
                  if (failure != null) {
                    log.warn("exclude file is not in use yet", failure);
                  }
                });
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
