package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.RemoveAccessKey;
import io.bulwark.protocol.metadata.Command.SetAccessKey;
import io.bulwark.protocol.metadata.Command.SetGateways;
import io.bulwark.protocol.metadata.Query.FindAccessKey;
import io.bulwark.protocol.metadata.Query.ListAccessKeys;
import io.bulwark.protocol.metadata.Query.ListGateways;
import io.bulwark.protocol.metadata.Reply.AccessKeyEntry;
import io.bulwark.protocol.metadata.Reply.AccessKeyFound;
import io.bulwark.protocol.metadata.Reply.AccessKeyList;
import io.bulwark.protocol.metadata.Reply.GatewayList;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** Canonical bytes of the commands, queries and replies about access keys. */
final class AccessKeyCodec {
    private AccessKeyCodec() {}

    static void write(Command.OfAccessKey command, WireWriter out) {
        switch (command) {
            case SetAccessKey set -> {
                set.key().write(out.u8(50));
                Lists.write(set.secrets(), out, SealedSecret::write);
            }
            case RemoveAccessKey remove -> out.u8(51).string(remove.id());
            case SetGateways set -> set.gateways().write(out.u8(52));
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case 50 ->
                new SetAccessKey(AccessKey.read(in), Lists.read(in, SetAccessKey.SECRETS_MAX, SealedSecret::read));
            case 51 -> new RemoveAccessKey(in.string(AccessKey.ID_LENGTH_MAX));
            case 52 -> new SetGateways(Gateways.read(in));
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    static void write(Query.OfAccessKey query, WireWriter out) {
        switch (query) {
            case FindAccessKey find -> out.u8(43).string(find.id());
            case ListAccessKeys list -> {
                list.person().write(out.u8(44));
                out.string(list.after()).i32(list.limit());
            }
            case ListGateways ignored -> out.u8(45);
        }
    }

    static void write(Reply.OfAccessKey reply, WireWriter out) {
        switch (reply) {
            case AccessKeyFound found -> {
                out.u8(50).bool(found.key().isPresent());
                found.key().ifPresent(key -> key.write(out));
                out.bytes(found.box());
            }
            case AccessKeyList list -> {
                Lists.write(list.entries(), out.u8(51), AccessKeyCodec::writeEntry);
                out.string(list.next());
            }
            case GatewayList list -> list.gateways().write(out.u8(52));
        }
    }

    static Reply readReply(int type, WireReader in) {
        return switch (type) {
            case 50 ->
                new AccessKeyFound(
                        in.bool() ? Optional.of(AccessKey.read(in)) : Optional.empty(),
                        in.bytes(SealedSecret.BOX_BYTES_MAX));
            case 51 ->
                new AccessKeyList(
                        Lists.read(in, Query.PAGE_MAX, AccessKeyCodec::readEntry), in.string(AccessKey.ID_LENGTH_MAX));
            case 52 -> new GatewayList(Gateways.read(in));
            default -> throw new MalformedException("unknown reply " + type);
        };
    }

    private static void writeEntry(AccessKeyEntry entry, WireWriter out) {
        entry.key().write(out);
        Lists.write(entry.readers(), out, PrincipalId::write);
    }

    private static AccessKeyEntry readEntry(WireReader in) {
        return new AccessKeyEntry(AccessKey.read(in), Lists.read(in, SetAccessKey.SECRETS_MAX, PrincipalId::read));
    }
}
