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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers excluded from assignment: by the exclude file, which is read periodically, and through
 * the API, which are stored in the metadata log.
 *
 * <p>Thread-safe; one thread reads the file.
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
   * @param checkIntervalMs interval at which the file is read
   */
  public Exclusions(Optional<ExcludeFile> file, long checkIntervalMs, StateOwner owner) {
    this.file = file;
    this.checkIntervalMs = checkIntervalMs;
    this.owner = owner;
  }

  /**
   * Reads the file for the first time. When this method returns, its entries are in the queue of
   * the state thread, before the first call: no shuffle is assigned to a server that was excluded
   * before the start.
   */
  public void start() {
    file.ifPresent(
        present -> {
          applyFile(present.read());
          Future<?> unused =
              executor.scheduleWithFixedDelay(
                  () -> reread(present), checkIntervalMs, checkIntervalMs, TimeUnit.MILLISECONDS);
        });
  }

  private void reread(ExcludeFile present) {
    try {
      ExcludeList found = present.read();
      if (!found.equals(owner.view().orders().excludedByFile())) {
        applyFile(found);
      }
    } catch (RuntimeException e) {
      // An exception would stop the periodic task.
      log.error("exclude file could not be read file={}", present.path(), e);
    }
  }

  /** The exclude file, if there is one. */
  public Optional<Path> file() {
    return file.map(ExcludeFile::path);
  }

  /**
   * Excludes a server, or all servers on a host, from assignment.
   *
   * @param name name of a known server, or a host name
   * @return all exclusions, once no new shuffle can be assigned to the server
   */
  public CompletionStage<ExcludeList> exclude(String name) {
    return AdminResult.submit(owner, (view, nowMs) -> excluded(view, name));
  }

  /**
   * Removes the exclusion of a server or a host.
   *
   * @param name name of a server, or an entry of the list
   */
  public CompletionStage<ExcludeList> include(String name) {
    return AdminResult.submit(owner, (view, nowMs) -> included(view, name));
  }

  private static Decision<AdminResult<ExcludeList>> excluded(ClusterView view, String name) {
    ExcludeList more = ExcludeList.parse(List.of(name));
    if (view.servers().all().stream().noneMatch(server -> more.excludes(server.id()))) {
      return AdminResult.refused(NOT_FOUND, "unknown server or host: " + PeerText.quoted(name));
    }
    return set(view, view.orders().excludedByApi().with(more));
  }

  private Decision<AdminResult<ExcludeList>> included(ClusterView view, String text) {
    String name = ExcludeList.entry(text);
    Set<String> entries = new HashSet<>();
    if (view.excluded().contains(name)) {
      entries.add(name);
    }
    Server server = view.servers().get(name);
    if (server != null) {
      entries.addAll(view.excluded().entriesOf(server.id()));
      String host = server.id().getHost();
      if (!host.equals(name) && view.excluded().contains(host)) {
        return AdminResult.refused(
            CONFLICT, name + " is excluded because its host is: include the host " + host);
      }
    }
    if (entries.isEmpty() && server == null) {
      return AdminResult.refused(
          NOT_FOUND, "neither a known server nor an excluded entry: " + PeerText.quoted(name));
    }
    for (String entry : entries) {
      if (view.orders().excludedByFile().contains(entry)) {
        return AdminResult.refused(
            CONFLICT,
            entry
                + " is excluded by the file "
                + file().map(Path::toString).orElse("")
                + "; remove its line from the file");
      }
    }
    return set(view, view.orders().excludedByApi().without(entries));
  }

  private static Decision<AdminResult<ExcludeList>> set(ClusterView view, ExcludeList byApi) {
    ExcludeList all = view.orders().excludedByFile().with(byApi);
    return byApi.equals(view.orders().excludedByApi())
        ? AdminResult.of(List.of(), all)
        : AdminResult.of(List.of(new LoggedChange.ExclusionsSet(byApi)), all);
  }

  private void applyFile(ExcludeList found) {
    owner.observe(
        (view, nowMs) ->
            view.orders().excludedByFile().equals(found)
                ? Decision.unchanged(found.size())
                : Decision.of(new MetadataRecord.ExcludeFileChanged(found), found.size()),
        new StateOwner.Outcome<Integer>() {
          @Override
          public void decided(Integer size) {}

          @Override
          public void failed(Throwable failure) {
            log.warn(
                "change of the exclude file could not be applied, it is retried at"
                    + " the next check",
                failure);
          }
        });
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
