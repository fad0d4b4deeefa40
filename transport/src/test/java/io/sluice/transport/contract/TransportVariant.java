package io.sluice.transport.contract;

import io.sluice.common.net.IoMode;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;

/** Transport of the data protocol and I/O mode of the client. */
enum TransportVariant {
  GRPC(IoMode.EPOLL) {
    @Override
    Loopback open(DataService dataService, DataTransportConfig config) throws IOException {
      return Loopback.grpc(dataService, config);
    }
  },
  NETTY_NIO(IoMode.NIO),
  NETTY_EPOLL(IoMode.EPOLL),
  NETTY_IO_URING(IoMode.IO_URING),
  SOCKETS(IoMode.NIO) {
    @Override
    Loopback open(DataService dataService, DataTransportConfig config) throws IOException {
      return Loopback.sockets(dataService, config);
    }
  };

  private final IoMode clientIoMode;

  TransportVariant(IoMode clientIoMode) {
    this.clientIoMode = clientIoMode;
  }

  Loopback open(DataService dataService, DataTransportConfig config) throws IOException {
    return Loopback.netty(dataService, config, clientIoMode);
  }

  IoMode clientIoMode() {
    return clientIoMode;
  }
}
