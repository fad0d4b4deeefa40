package io.sluice.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.local.BackgroundPusher;
import io.sluice.client.opaque.PartitionPusher;
import io.sluice.client.opaque.PartitionReader;
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
 * Client of one process of an application: pushes to shuffle servers and reads from them.
 * Thread-safe; a process has one, which its tasks share.
 */
public interface SluiceClient extends AutoCloseable {
  /**
   * Starts a client with the configured transport. It opens no connection yet.
   *
   * @param clientName name of this process in the logs of servers, such as an executor id
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
   * As {@link #start}, for a process that runs one task and ends, where start-up would cost more
   * than the transfer of data. The client has no pool of buffers, and without encryption no Netty
   * channels.
   */
  static SluiceClient startForOneTask(ClientConfig config, String application, String clientName) {
    if (config.security().tls().enabled()
        || config.connection().kind() != TransportKind.GRPC_NETTY) {
      return start(config, application, clientName);
    }
    NettyDefaults.withoutFlightRecorder();
    NettyDefaults.withoutPools();
    ApplicationCredentials credentials = new ApplicationCredentials();
    ClientTls tls = ClientTls.plain(config.security().tls().peerName());
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    return new ConnectedSluiceClient(
        config,
        application,
        clientName,
        new SocketDataTransport(
            config.connection().transport(), credentials, tls, allocator, System::nanoTime),
        credentials,
        tls,
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

  /** The application of this client. */
  String application();

  ClientConfig config();

  /**
   * Credentials with which connections of this process authenticate the application. The session of
   * a driver adds them; a task receives the driver's credential over a protected channel of the
   * engine and adds it here.
   */
  ApplicationCredentials credentials();

  /**
   * For drivers: the registration and lease of the application at the coordinators. The first call
   * starts the session without waiting for a coordinator; later calls return the same session. It
   * ends with the client.
   *
   * @param user operating-system user of the job
   */
  default ApplicationSession applicationSession(String user) {
    return applicationSession(user, System.getenv(), ServedSettings.NONE);
  }

  /**
   * As {@link #applicationSession(String)}.
   *
   * @param environment environment variables, which may contain the user's secret
   * @param served settings that the driver requested before; the session waits less for
   *     coordinators if that request waited in vain
   */
  ApplicationSession applicationSession(
      String user, Map<String, String> environment, ServedSettings served);

  /** As {@link #pushSession(ShuffleAssignment, MapAttempt, PushOptions)}, without options. */
  default PushSession pushSession(ShuffleAssignment assignment, MapAttempt attempt) {
    return pushSession(assignment, attempt, PushOptions.NONE);
  }

  /**
   * Starts a push session for the output of one map attempt. It connects to servers when it sends
   * the first frame.
   *
   * @param options borrows its members until the session is closed
   */
  PushSession pushSession(ShuffleAssignment assignment, MapAttempt attempt, PushOptions options);

  /**
   * Starts a session for the output of one map attempt that goes to local output only.
   *
   * @param options borrows its members until the session is closed; needs a local sink
   */
  PushSession localSession(ShuffleAssignment assignment, MapAttempt attempt, PushOptions options);

  /** The pusher of finished local outputs. It ends with the client. */
  BackgroundPusher backgroundPusher();

  /** As {@link #read(ShuffleReadRequest, PayloadTransform)}, of unencrypted data. */
  default ShuffleRead read(ShuffleReadRequest request) {
    return read(request, null);
  }

  /**
   * Starts a read. It sends no request before the first {@link ShuffleRead#next}.
   *
   * @param transform transform of the map side; null for none
   */
  ShuffleRead read(ShuffleReadRequest request, PayloadTransform transform);

  /**
   * Starts a push of one map attempt's output that the engine has serialized and compressed itself.
   * The blocks are not compressed again. Connects to servers when it sends the first frame.
   *
   * @param options borrows its members until the pusher is closed; its sizes, rows and codec are
   *     not used
   */
  default PartitionPusher partitionPusher(
      ShuffleAssignment assignment, MapAttempt attempt, PushOptions options) {
    return new PartitionPusher(
        pushSession(assignment, attempt, options.opaque()),
        assignment.partitionCount(),
        config().writer().blockBytes(),
        config().writer().spillBytes());
  }

  /**
   * Starts a read of output that was pushed with {@link #partitionPusher}. It sends no request
   * before the first {@link PartitionReader#next}.
   *
   * @param transform transform of the map side; null for none
   */
  default PartitionReader partitionReader(ShuffleReadRequest request, PayloadTransform transform) {
    return new PartitionReader(read(request, transform));
  }

  /** Sums over all closed sessions and reads of this client. */
  ClientCounters counters();

  /**
   * Ends the application session, if there is one, and closes all connections, within a bounded
   * time. Open push sessions and reads fail. Idempotent.
   */
  @Override
  void close();
}
