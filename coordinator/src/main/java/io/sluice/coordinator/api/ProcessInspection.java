package io.sluice.coordinator.api;

import io.sluice.common.config.ConfigEntry;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.GetConfigurationReply;
import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.Status;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Threads and configurations of this coordinator and of servers. Needs neither the state thread nor
 * a leader, so that it works on a process that hangs. Thread-safe.
 */
public final class ProcessInspection {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final StateOwner owner;
  private final ServerControl servers;
  private final ConfigReload configuration;
  private final Supplier<GetThreadsReply> threads;
  private final Executor files;
  private final Clock clock;

  /**
   * @param configuration configuration of this coordinator
   * @param threads takes a thread dump of this process
   * @param files executor that reads the configuration
   */
  public ProcessInspection(
      StateOwner owner,
      ServerControl servers,
      ConfigReload configuration,
      Supplier<GetThreadsReply> threads,
      Executor files,
      Clock clock) {
    this.owner = owner;
    this.servers = servers;
    this.configuration = configuration;
    this.threads = threads;
    this.files = files;
    this.clock = clock;
  }

  /** Returns the threads of this coordinator. */
  Resource threads() {
    return threads(threads.get());
  }

  /** Returns the configuration of this coordinator; waits for a reload in progress. */
  CompletionStage<Resource> configuration() {
    return CompletableFuture.supplyAsync(
        () ->
            new Resource.Configuration(
                clock.millis(),
                configuration.entries().stream().map(ProcessInspection::setting).toList()),
        files);
  }

  /** Returns the threads of a server. */
  CompletionStage<Resource> threads(String server) {
    return atServer(
        server,
        id ->
            servers
                .threads(id)
                .thenApply(
                    reply -> {
                      requireOk(server, reply.getStatus(), reply.getMessage());
                      return threads(reply);
                    }));
  }

  /** Returns the configuration of a server. */
  CompletionStage<Resource> configuration(String server) {
    return atServer(
        server,
        id ->
            servers
                .configuration(id)
                .thenApply(
                    reply -> {
                      requireOk(server, reply.getStatus(), reply.getMessage());
                      return configuration(reply);
                    }));
  }

  private Resource threads(GetThreadsReply reply) {
    return new Resource.Threads(
        clock.millis(),
        reply.getThreadsList().stream()
            .map(
                thread ->
                    new Resource.ThreadStack(
                        thread.getName(),
                        thread.getId(),
                        thread.getState(),
                        thread.getCpuNanos() < 0
                            ? null
                            : TimeUnit.NANOSECONDS.toMillis(thread.getCpuNanos()),
                        thread.getWaitsFor(),
                        thread.getOwner(),
                        thread.getFramesList()))
            .toList(),
        reply.getOmitted());
  }

  private Resource configuration(GetConfigurationReply reply) {
    return new Resource.Configuration(
        clock.millis(),
        reply.getEntriesList().stream()
            .map(entry -> new Resource.Setting(entry.getKey(), entry.getValue(), entry.getSource()))
            .toList());
  }

  private static Resource.Setting setting(ConfigEntry entry) {
    return new Resource.Setting(entry.key(), entry.value(), entry.source());
  }

  private CompletionStage<Resource> atServer(
      String name, Function<ServerId, CompletionStage<Resource>> call) {
    Server server = owner.view().servers().get(name);
    return server == null
        ? CompletableFuture.failedFuture(
            new ApiException(NOT_FOUND, "unknown server: " + PeerText.quoted(name)))
        : call.apply(server.id());
  }

  private static void requireOk(String name, Status status, String message) {
    if (status != Status.OK) {
      throw new CompletionException(
          new ApiException(CONFLICT, name + " refused the request: " + status + ": " + message));
    }
  }
}
