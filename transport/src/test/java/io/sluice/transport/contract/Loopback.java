package io.sluice.transport.contract;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.common.net.SocketIo;
import io.sluice.common.rpc.CallBounds;
import io.sluice.common.rpc.CallLimits;
import io.sluice.common.rpc.RpcPort;
import io.sluice.common.tls.ClientTls;
import io.sluice.common.tls.TlsContexts;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.GrpcDataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.SocketDataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.DataTransportConfig;
import io.sluice.transport.server.GrpcDataService;
import io.sluice.transport.server.NettyDataServer;
import io.sluice.transport.server.NettyServerConfig;
import io.sluice.transport.server.TransportCounters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** A server on a free loopback port, and clients for it. */
public interface Loopback extends AutoCloseable {
  /** Name of the event loops of a gRPC server. */
  String LOOPS = "loopback";

  ServerId server();

  TransportCounters counters();

  /** A client without credentials. */
  default DataTransport newClient(TransportConfig config) {
    return newClient(config, new ApplicationCredentials());
  }

  DataTransport newClient(TransportConfig config, ConnectionCredentials credentials);

  /** A client connection that sends arbitrary bytes. */
  RawPeer newRawPeer() throws IOException;

  @Override
  void close();

  /** Framed TCP. */
  static Loopback netty(DataService service, DataTransportConfig config, IoMode mode)
      throws IOException {
    return netty(service, config, mode, LoopbackTls.OFF);
  }

  /** Framed TCP, with or without TLS. */
  static Loopback netty(
      DataService service, DataTransportConfig config, IoMode mode, LoopbackTls tls)
      throws IOException {
    return framed(
        service,
        config,
        mode,
        tls,
        (clientConfig, credentials) ->
            new NettyDataTransport(clientConfig, credentials, tls.client(), System::nanoTime));
  }

  /** Framed TCP with a client without Netty channels. */
  static Loopback sockets(DataService service, DataTransportConfig config) throws IOException {
    return framed(
        service,
        config,
        IoMode.NIO,
        LoopbackTls.OFF,
        (clientConfig, credentials) ->
            new SocketDataTransport(
                clientConfig,
                credentials,
                ClientTls.OFF,
                UnpooledByteBufAllocator.DEFAULT,
                System::nanoTime));
  }

  private static Loopback framed(
      DataService service,
      DataTransportConfig config,
      IoMode mode,
      LoopbackTls tls,
      BiFunction<TransportConfig, ConnectionCredentials, DataTransport> clients)
      throws IOException {
    TransportCounters counters = new TransportCounters();
    NettyDataServer server =
        new NettyDataServer(
            service,
            new NettyServerConfig("127.0.0.1", 0, mode, 2, config),
            tls.server().map(TlsContexts::dataServer),
            counters,
            System::nanoTime);
    server.start();
    ServerId id =
        ServerId.newBuilder()
            .setName("netty-under-test")
            .setHost("127.0.0.1")
            .setNettyPort(server.port())
            .setEpoch(service.epoch())
            .build();
    return new Loopback() {
      @Override
      public ServerId server() {
        return id;
      }

      @Override
      public TransportCounters counters() {
        return counters;
      }

      @Override
      public DataTransport newClient(
          TransportConfig clientConfig, ConnectionCredentials credentials) {
        return clients.apply(clientConfig, credentials);
      }

      @Override
      public RawPeer newRawPeer() throws IOException {
        return new RawPeer.Tcp(id, tls.sockets());
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }

  /** Inside gRPC. */
  static Loopback grpc(DataService service, DataTransportConfig config) throws IOException {
    return grpc(service, config, LoopbackTls.OFF);
  }

  /** Inside gRPC, with or without TLS. */
  static Loopback grpc(DataService service, DataTransportConfig config, LoopbackTls tls)
      throws IOException {
    TransportCounters counters = new TransportCounters();
    ExecutorService executor = Executors.newFixedThreadPool(4);
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    GrpcDataService data =
        new GrpcDataService(service, config, counters, executor, scheduler, System::nanoTime);
    SocketIo io = SocketIo.select(IoMode.NIO);
    EventLoopGroup loops = io.newEventLoops(2, LOOPS);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .executor(executor)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops);
    RpcPort.configure(
        builder,
        io.serverSocketClass(),
        new AcceptLimit(
            new PeerConnections(10_000, 10_000, "rss.max", "rss.peer.max"),
            RefusalReply.HTTP2,
            (peer, reason) -> {}),
        new CallBounds(
            GrpcDataService.limits(CallLimits.control()),
            scheduler,
            new CallDenials(new AuditLog(), System::nanoTime)));
    data.configure(builder);
    tls.server().ifPresent(contexts -> builder.sslContext(contexts.grpcServer()));
    Server server = builder.addService(data).build().start();
    ServerId id =
        ServerId.newBuilder()
            .setName("grpc-under-test")
            .setHost("127.0.0.1")
            .setRpcPort(server.getPort())
            .setEpoch(service.epoch())
            .build();
    return new Loopback() {
      @Override
      public ServerId server() {
        return id;
      }

      @Override
      public TransportCounters counters() {
        return counters;
      }

      @Override
      public DataTransport newClient(
          TransportConfig clientConfig, ConnectionCredentials credentials) {
        return new GrpcDataTransport(clientConfig, credentials, tls.client(), System::nanoTime);
      }

      @Override
      public RawPeer newRawPeer() {
        return new RawPeer.Grpc(id, tls.client());
      }

      @Override
      public void close() {
        server.shutdown();
        data.closeConnections();
        server.shutdownNow();
        try {
          server.awaitTermination(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        io.shutDown(loops, 5_000);
        executor.shutdown();
        scheduler.shutdown();
      }
    };
  }
}
