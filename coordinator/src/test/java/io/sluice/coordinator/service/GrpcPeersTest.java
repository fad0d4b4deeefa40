package io.sluice.coordinator.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.MembershipReply.State;
import io.sluice.proto.MembershipRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GrpcPeersTest {
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private static final class Member extends ConsensusGrpc.ConsensusImplBase {
    @Override
    public void membership(MembershipRequest request, StreamObserver<MembershipReply> observer) {
      observer.onNext(MembershipReply.newBuilder().setState(State.READY).build());
      observer.onCompleted();
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
  }

  /** As after a partition: the old connection is silent, and a new one would work. */
  @Test
  void opensAnotherConnectionAfterATimeout() throws IOException, InterruptedException {
    GrpcPeers peers = new GrpcPeers(loops, ClusterSecurity.OFF);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket silent = new ServerSocket(0, 1, loopback)) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      assertThatThrownBy(() -> peers.membership(address)).isInstanceOf(IOException.class);
      try (Socket first = silent.accept()) {
        silent.close();

        Server server =
            NettyServerBuilder.forAddress(new InetSocketAddress(loopback, first.getLocalPort()))
                .addService(new Member())
                .build()
                .start();
        assertThat(peers.membership(address).getState()).isEqualTo(State.READY);
        server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
      }
    } finally {
      peers.close();
    }
  }
}
