package io.sluice.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.local.BackgroundPusher;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.TaskTime;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.GrpcDataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.SocketDataTransport;
import io.sluice.transport.client.UnusableTransport;
import java.util.Map;

/**
 * The way of one application's process to its shuffle servers. Thread-safe; a process has one and
 * its tasks share it.
 */
public interface SluiceClient extends AutoCloseable {
  /**
   * Starts a client with the transport that the configuration names. Connects to nobody yet.
   *
   * @param clientName who this is, for the servers' logs, such as an executor's id
   */
  static SluiceClient start(ClientConfig config, String application, String clientName) {
    NettyDefaults.withoutFlightRecorder();
    ApplicationCredentials credentials = new ApplicationCredentials();
    ClientTls tls = ClientTls.of(config.security().tls(), System::nanoTime);
    DataTransport transport =
        tls.problem().isPresent()
            ? new UnusableTransport(tls.problem().get())
            : newTransport(config, credentials, tls);
    return new ConnectedSluiceClient(
        config,
        application,
        clientName,
        transport,
        credentials,
        tls,
        PooledByteBufAllocator.DEFAULT,
        TaskTime.SYSTEM);
  }

  /**
   * As {@link #start}, for a process that runs one task and ends: what it does once would cost more
   * than the task's data. Without encryption it has no Netty channels, and it never has a pool of
   * buffers.
   */
  static SluiceClient startForOneTask(ClientConfig config, String application, String clientName) {
    if (config.security().tls().enabled()
        || config.connection().kind() != TransportKind.GRPC_NETTY) {
      return start(config, application, clientName);
    }
    NettyDefaults.withoutFlightRecorder();
    NettyDefaults.withoutPools();
    ApplicationCredentials credentials = new ApplicationCredentials();
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    return new ConnectedSluiceClient(
        config,
        application,
        clientName,
        new SocketDataTransport(
            config.connection().transport(), credentials, allocator, System::nanoTime),
        credentials,
        ClientTls.OFF,
        allocator,
        TaskTime.SYSTEM);
  }

  private static DataTransport newTransport(
      ClientConfig config, ApplicationCredentials credentials, ClientTls tls) {
    return switch (config.connection().kind()) {
      case GRPC ->
          new GrpcDataTransport(
              config.connection().transport(), credentials, tls, System::nanoTime);
      case GRPC_NETTY ->
          new NettyDataTransport(
              config.connection().transport(), credentials, tls, System::nanoTime);
    };
  }

  /** The application that this client works for. */
  String application();

  ClientConfig config();

  /**
   * What connections of this process prove the application with. A driver's session fills it; a
   * task gets the driver's credential over a protected way of the engine and adds it here.
   */
  ApplicationCredentials credentials();

  /**
   * Driver only: the application's registration and lease at the coordinator. The first call starts
   * it, without waiting for the coordinator; later calls give the same session. It ends with the
   * client.
   *
   * @param user operating-system user that the job runs as
   */
  default ApplicationSession applicationSession(String user) {
    return applicationSession(user, System.getenv());
  }

  /**
   * As {@link #applicationSession(String)}.
   *
   * @param environment where the user's secret may be
   */
  ApplicationSession applicationSession(String user, Map<String, String> environment);

  /** As {@link #pushSession(ShuffleAssignment, MapAttempt, PushOptions)}, without options. */
  default PushSession pushSession(ShuffleAssignment assignment, MapAttempt attempt) {
    return pushSession(assignment, attempt, PushOptions.NONE);
  }

  /**
   * Begins the output of one map attempt. Makes no connection before there is something to send.
   *
   * @param options borrows what is in it until the session is closed
   */
  PushSession pushSession(ShuffleAssignment assignment, MapAttempt attempt, PushOptions options);

  /**
   * Begins the output of one map attempt that goes to local output as a whole, and to no server.
   *
   * @param options borrows what is in it until the session is closed; needs a local sink
   */
  PushSession localSession(ShuffleAssignment assignment, MapAttempt attempt, PushOptions options);

  /** Pushes outputs that lie in local files. Ends with the client. */
  BackgroundPusher backgroundPusher();

  /** As {@link #read(ShuffleReadRequest, PayloadTransform)}, of clear text. */
  default ShuffleRead read(ShuffleReadRequest request) {
    return read(request, null);
  }

  /**
   * Begins to read. Asks nothing of a server before the first {@link ShuffleRead#next}.
   *
   * @param transform what the map side applied; null for none
   */
  ShuffleRead read(ShuffleReadRequest request, PayloadTransform transform);

  /** What all sessions and reads of this client have done so far. */
  ClientCounters counters();

  /**
   * Ends the application session, if there is one, and every connection, within a bounded time.
   * Sessions and reads that are still open fail. Idempotent.
   */
  @Override
  void close();
}
