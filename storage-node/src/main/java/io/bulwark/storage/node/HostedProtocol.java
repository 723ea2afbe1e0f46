package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Message;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * One protocol as a node serves it.
 *
 * @param handles whether a message is a request of this protocol
 * @param blockOf the block that a request is about
 * @param foreground whether clients wait for its answers, so that unasked work makes room for them
 * @param heldBytes about how many bytes a request holds in fragments and blocks
 * @param server makes the server of a shard, given its number counted from 0; all requests about the blocks of one
 *     session, or about one block of a register volume, come to the same server
 * @param open whether this request of others is taken now
 */
public record HostedProtocol(
        Predicate<Message> handles,
        Function<Message, BlockId> blockOf,
        boolean foreground,
        ToIntFunction<Message> heldBytes,
        IntFunction<ProtocolServer> server,
        Predicate<Message> open) {
    public HostedProtocol(
            Predicate<Message> handles,
            Function<Message, BlockId> blockOf,
            boolean foreground,
            ToIntFunction<Message> heldBytes,
            IntFunction<ProtocolServer> server) {
        this(handles, blockOf, foreground, heldBytes, server, _ -> true);
    }

    /** The same, which is silent on the blocks of other volumes than these; the node's own requests are served all the same. */
    public HostedProtocol openFor(IntPredicate volumes) {
        return new HostedProtocol(
                handles,
                blockOf,
                foreground,
                heldBytes,
                server,
                message -> volumes.test(blockOf.apply(message).volume()));
    }

    /** Extents (docs/protocols/extents.md). */
    public static HostedProtocol extents(NodeConfig config, ExtentLimits limits) {
        return new HostedProtocol(
                ExtentMessage.Request.class::isInstance,
                message -> ((ExtentMessage.Request) message).block(),
                true,
                message -> switch (message) {
                    case ExtentMessage.Store store -> store.fragment().length();
                    case ExtentMessage.StoreBlock store -> store.content().length();
                    case ExtentMessage.Supply supply -> supply.fragment().length();
                    default -> 0;
                },
                shard -> new ExtentServer(config.node(), limits, block -> config.shardOf(block) == shard));
    }

    /**
     * The FP register (docs/protocols/fp.md), its scrubbing, and what the node does for it while holders change.
     *
     * @param revocations makes what each shard's server tells of revoked clients
     */
    public static HostedProtocol registers(
            NodeConfig config, TagKeys keys, FpLimits limits, Supplier<RevocationWatch> revocations) {
        return new HostedProtocol(
                message -> message instanceof FpMessage.Request
                        || message instanceof ScrubMessage
                        || SettleRequest.isFor(Protocol.FP, message),
                message -> switch (message) {
                    case ScrubMessage unasked -> unasked.block();
                    case SettleRequest settle -> settle.block();
                    default -> ((FpMessage.Request) message).target().block();
                },
                true,
                message -> switch (message) {
                    case FpMessage.PrepareFragment prepare -> prepare.fragment().length();
                    case FpMessage.PrepareBlock prepare -> prepare.block().length();
                    default -> 0;
                },
                shard -> new FpServer(keys, limits, block -> config.shardOf(block) == shard, revocations.get()));
    }

    /**
     * The PASIS register (docs/protocols/pasis.md), and the node's own verification and scrubbing of it.
     *
     * @param clients current number of clients that could write
     * @param watch receives, for each shard, the blocks to verify
     * @param revocations makes each shard's receiver of reports on revoked clients
     */
    public static HostedProtocol versioned(
            PrincipalId self,
            PasisLimits limits,
            IntSupplier clients,
            IntFunction<VerificationWatch> watch,
            Supplier<RevocationWatch> revocations) {
        return new HostedProtocol(
                message -> message instanceof PasisMessage.Request
                        || message instanceof PasisBackground
                        || SettleRequest.isFor(Protocol.PASIS, message),
                message -> switch (message) {
                    case PasisBackground unasked -> unasked.block();
                    case SettleRequest settle -> settle.block();
                    default -> ((PasisMessage.Request) message).target().block();
                },
                true,
                message -> message instanceof PasisMessage.Write write
                        ? write.fragment().length()
                        : 0,
                shard -> new PasisServer(self, limits, clients, watch.apply(shard), revocations.get()));
    }
}
