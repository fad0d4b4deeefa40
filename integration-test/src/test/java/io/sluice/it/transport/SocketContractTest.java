package io.sluice.it.transport;

import io.sluice.common.net.IoMode;
import io.sluice.server.service.DataService;
import io.sluice.server.transport.DataTransportConfig;
import java.io.IOException;

class SocketContractTest extends DataTransportContract {
  @Override
  Loopback open(DataService dataService, DataTransportConfig config) throws IOException {
    return Loopback.sockets(dataService, config);
  }

  @Override
  IoMode clientIoMode() {
    return IoMode.NIO;
  }
}
