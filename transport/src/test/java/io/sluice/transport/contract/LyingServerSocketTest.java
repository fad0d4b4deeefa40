package io.sluice.transport.contract;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.SocketDataTransport;
import io.sluice.transport.client.TransportConfig;

/** The same by a client without Netty's channels. */
class LyingServerSocketTest extends LyingServerTest {
  @Override
  DataTransport newClient(TransportConfig config, ApplicationCredentials proving) {
    return new SocketDataTransport(
        config, proving, UnpooledByteBufAllocator.DEFAULT, System::nanoTime);
  }
}
