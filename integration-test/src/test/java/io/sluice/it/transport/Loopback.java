package io.sluice.it.transport;

import io.sluice.client.transport.DataTransport;
import io.sluice.client.transport.NettyDataTransport;
import io.sluice.client.transport.TransportConfig;
import io.sluice.common.net.IoMode;
import io.sluice.proto.ServerId;
import io.sluice.server.service.DataService;
import io.sluice.server.transport.DataTransportConfig;
import io.sluice.server.transport.NettyDataServer;
import io.sluice.server.transport.NettyServerConfig;
import io.sluice.server.transport.TransportCounters;
import java.io.IOException;

/** A server end on a free loopback port, and how to reach it. */
interface Loopback extends AutoCloseable {
  ServerId server();

  TransportCounters counters();

  DataTransport newClient(TransportConfig config);

  @Override
  void close();

  /** Framed TCP. */
  static Loopback netty(DataService service, DataTransportConfig config, IoMode mode)
      throws IOException {
    TransportCounters counters = new TransportCounters();
    NettyDataServer server =
        new NettyDataServer(
            service,
            new NettyServerConfig("127.0.0.1", 0, 128, mode, 2, config),
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
      public DataTransport newClient(TransportConfig clientConfig) {
        return new NettyDataTransport(clientConfig, System::nanoTime);
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }
}
