package io.bulwark.storage.node;

import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Message;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * One protocol as a node serves it.
 *
 * @param handles whether a message is a request of this protocol
 * @param blockOf the block that a request is about
 * @param heldBytes about how many bytes a request holds in fragments and blocks
 * @param server makes the server of a shard, given its number counted from 0; all requests about the blocks of one
 *     session, or about one block of a register volume, come to the same server
 */
public record HostedProtocol(
        Predicate<Message> handles,
        Function<Message, BlockId> blockOf,
        ToIntFunction<Message> heldBytes,
        IntFunction<ProtocolServer> server) {}
