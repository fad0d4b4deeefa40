package io.sluice.transport.contract;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.SocketDataTransport;
import io.sluice.transport.client.TransportConfig;

/** Runs the tests of {@link MisbehavingServerTest} with a client without Netty channels. */
class MisbehavingServerSocketTest extends MisbehavingServerTest {
  @Override
  DataTransport newClient(TransportConfig config, ApplicationCredentials proving) {
    return new SocketDataTransport(
        config, proving, ClientTls.OFF, UnpooledByteBufAllocator.DEFAULT, System::nanoTime);
  }
}
