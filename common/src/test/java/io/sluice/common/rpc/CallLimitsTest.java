package io.sluice.common.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShufflesRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallLimitsTest {
  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          AuthenticationGrpc.getServiceDescriptor(),
          CoordinatorGrpc.getServiceDescriptor(),
          AdminGrpc.getServiceDescriptor(),
          ShuffleServerControlGrpc.getServiceDescriptor());

  private final CallLimits limits = CallLimits.control();

  private void assertFits(MethodDescriptor<?, ?> method, MessageLite request) {
    assertThat(request.getSerializedSize())
        .as(method.getFullMethodName())
        .isLessThanOrEqualTo(limits.of(method.getFullMethodName()));
  }

  @Test
  void acceptsTheLargestLegitimateRequests() {
    String name = "n".repeat(256);
    ServerId server =
        ServerId.newBuilder()
            .setName(name)
            .setHost(name)
            .setRpcPort(65535)
            .setNettyPort(65535)
            .setEpoch(Long.MAX_VALUE)
            .build();
    ShuffleId shuffle =
        ShuffleId.newBuilder().setApplication(name).setShuffle(Integer.MAX_VALUE).build();
    ShuffleMove move =
        ShuffleMove.newBuilder()
            .setShuffle(shuffle)
            .setFrom(name)
            .setTo(server)
            .setLost(true)
            .build();
    List<String> servers = Collections.nCopies(10_000, "n".repeat(100));

    assertFits(
        CoordinatorGrpc.getRegisterApplicationMethod(),
        RegisterApplicationRequest.newBuilder()
            .setApplication(name)
            .setUser(name)
            .setClientVersion(name)
            .build());
    assertFits(
        CoordinatorGrpc.getRenewLeaseMethod(),
        RenewLeaseRequest.newBuilder()
            .setApplication(name)
            .setReport(ApplicationReport.newBuilder().setLastFallbackReason("r".repeat(10_000)))
            .addAllAppliedMoves(Collections.nCopies(500, move))
            .build());
    assertFits(
        CoordinatorGrpc.getRegisterShuffleMethod(),
        RegisterShuffleRequest.newBuilder()
            .setShuffle(shuffle)
            .addAllRequiredTags(Collections.nCopies(64, "t".repeat(64)))
            .addAllExcludedServers(servers)
            .build());
    assertFits(
        CoordinatorGrpc.getFindMoveTargetMethod(),
        MoveTargetRequest.newBuilder()
            .setShuffle(shuffle)
            .setFrom(name)
            .addAllExcludedServers(servers)
            .build());
    assertFits(
        AdminGrpc.getCallMethod(),
        ApiCall.newBuilder()
            .setPath("p".repeat(8 << 10))
            .setQuery("q".repeat(8 << 10))
            .setBody(com.google.protobuf.ByteString.copyFrom(new byte[16 << 10]))
            .build());
    assertFits(
        ShuffleServerControlGrpc.getUnregisterShufflesMethod(),
        UnregisterShufflesRequest.newBuilder()
            .setApplication(name)
            .addAllShuffles(Collections.nCopies(13_000, Integer.MAX_VALUE))
            .build());
  }

  @Test
  void theProtocolPageHasTheSameLimits() throws IOException {
    List<String> page = Files.readAllLines(Path.of("../docs/protocol.md"));
    for (ServiceDescriptor service : SERVICES) {
      for (MethodDescriptor<?, ?> method : service.getMethods()) {
        String full = method.getFullMethodName();
        int bytes = limits.of(full);
        String size = bytes >= 1 << 20 ? bytes / (1 << 20) + " MiB" : bytes / (1 << 10) + " KiB";
        String name = full.substring("sluice.v1.".length());
        assertThat(page)
            .as(name + " | " + size)
            .anyMatch(line -> line.contains("`" + name + "`") && line.contains("| " + size + " |"));
      }
    }
  }
}
