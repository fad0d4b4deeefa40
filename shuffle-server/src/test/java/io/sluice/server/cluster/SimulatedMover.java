package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ServerId;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.FileReads;
import io.sluice.server.service.PushSeal;
import io.sluice.transport.client.DataTransport;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Moves of a simulation, for tests of other packages: threads and network come from the caller. */
public final class SimulatedMover {
  private SimulatedMover() {}

  /**
   * @param reads reads of this server's files, complete when they return
   * @param reports verifies damage that these reads find
   * @param channels opens channels to coordinators
   * @param transports opens transports to servers
   * @param threads creates the executor of a move, whose tasks may wait
   */
  public static Mover of(
      ShuffleStore store,
      PushSeal seal,
      FileReads reads,
      DamageReports reports,
      long epoch,
      List<HostPort> coordinators,
      Supplier<ServerId> self,
      Clock clock,
      LongSupplier nanoTime,
      Function<HostPort, ManagedChannel> channels,
      Supplier<DataTransport> transports,
      Supplier<ScheduledExecutorService> threads) {
    ClusterTargets.Network network =
        new ClusterTargets.Network() {
          @Override
          public ManagedChannel coordinator(HostPort address) {
            return channels.apply(address);
          }

          @Override
          public DataTransport transport(Optional<ApplicationCredential> credential) {
            return transports.get();
          }
        };
    return new Mover(
        store,
        seal,
        new ClusterTargets(coordinators, self, ClusterSecurity.OFF, clock, network),
        new LogReader(
            reads,
            epoch,
            UnpooledByteBufAllocator.DEFAULT,
            (log, partition, offset) -> {
              CompletableFuture<Void> unused = reports.verify(log, partition, offset);
            }),
        new MoveConfig(1, 0),
        self,
        nanoTime,
        count -> threads.get());
  }
}
