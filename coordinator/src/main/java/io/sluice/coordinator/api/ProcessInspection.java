package io.sluice.coordinator.api;

import io.sluice.common.config.ConfigEntry;
import io.sluice.common.config.ConfigReload;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.GetConfigurationReply;
import io.sluice.proto.GetThreadsReply;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Threads and configurations of this coordinator and of servers. Needs neither the state thread nor
 * a leader, so that it works on a process that hangs. Thread-safe.
 */
public final class ProcessInspection {
  private final NamedServers named;
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
    this.named = new NamedServers(owner);
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
    return named.call(
        server,
        id ->
            servers
                .threads(id)
                .thenApply(
                    reply -> {
                      NamedServers.requireOk(server, reply.getStatus(), reply.getMessage());
                      return threads(reply);
                    }));
  }

  /** Returns the configuration of a server. */
  CompletionStage<Resource> configuration(String server) {
    return named.call(
        server,
        id ->
            servers
                .configuration(id)
                .thenApply(
                    reply -> {
                      NamedServers.requireOk(server, reply.getStatus(), reply.getMessage());
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
}
