package io.sluice.it.transport;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.transport.DataTransport;
import io.sluice.client.transport.SocketDataTransport;
import io.sluice.client.transport.TransportConfig;
import io.sluice.common.auth.ApplicationCredentials;

/** The same by a client without Netty's channels. */
class LyingServerSocketTest extends LyingServerTest {
  @Override
  DataTransport newClient(TransportConfig config, ApplicationCredentials proving) {
    return new SocketDataTransport(
        config, proving, UnpooledByteBufAllocator.DEFAULT, System::nanoTime);
  }
}
