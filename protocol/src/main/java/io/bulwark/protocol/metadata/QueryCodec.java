package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query.CountWriters;
import io.bulwark.protocol.metadata.Query.FindAccessKey;
import io.bulwark.protocol.metadata.Query.FindDocument;
import io.bulwark.protocol.metadata.Query.FindEvidence;
import io.bulwark.protocol.metadata.Query.FindInode;
import io.bulwark.protocol.metadata.Query.FindObject;
import io.bulwark.protocol.metadata.Query.FindSlices;
import io.bulwark.protocol.metadata.Query.FindUpload;
import io.bulwark.protocol.metadata.Query.GetGenesis;
import io.bulwark.protocol.metadata.Query.GetMap;
import io.bulwark.protocol.metadata.Query.GetStatus;
import io.bulwark.protocol.metadata.Query.GrantOf;
import io.bulwark.protocol.metadata.Query.ListAccessKeys;
import io.bulwark.protocol.metadata.Query.ListActFor;
import io.bulwark.protocol.metadata.Query.ListAudit;
import io.bulwark.protocol.metadata.Query.ListBuckets;
import io.bulwark.protocol.metadata.Query.ListDocuments;
import io.bulwark.protocol.metadata.Query.ListEvidence;
import io.bulwark.protocol.metadata.Query.ListGateways;
import io.bulwark.protocol.metadata.Query.ListGrants;
import io.bulwark.protocol.metadata.Query.ListObjects;
import io.bulwark.protocol.metadata.Query.ListParts;
import io.bulwark.protocol.metadata.Query.ListPrincipals;
import io.bulwark.protocol.metadata.Query.ListReleases;
import io.bulwark.protocol.metadata.Query.ListReplicas;
import io.bulwark.protocol.metadata.Query.ListSuspensions;
import io.bulwark.protocol.metadata.Query.ListUploads;
import io.bulwark.protocol.metadata.Query.ListVersions;
import io.bulwark.protocol.metadata.Query.OnBehalf;
import io.bulwark.protocol.metadata.Query.References;
import io.bulwark.protocol.metadata.Query.SessionChanges;
import io.bulwark.protocol.metadata.Query.SessionOf;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Canonical bytes of queries: one byte of type, then the fields in their order. */
final class QueryCodec {
    private static final int ON_BEHALF = 22;

    private QueryCodec() {}

    static Bytes encode(Query query) {
        WireWriter out = new WireWriter();
        write(query, out);
        return out.toBytes();
    }

    private static void write(Query query, WireWriter out) {
        switch (query) {
            case GetMap ignored -> out.u8(1);
            case GetStatus ignored -> out.u8(2);
            case SessionOf of -> {
                out.u8(3).i32(of.volume());
                of.owner().write(out);
                out.i64(of.session());
            }
            case GrantOf of -> of.principal().write(out.u8(4).i32(of.volume()));
            case References of -> out.u8(5).i32(of.volume()).i64(of.after()).i32(of.limit());
            case SessionChanges of -> out.u8(6).i64(of.afterSequence()).i32(of.limit());
            case FindObject find ->
                out.u8(7).string(find.bucket()).string(find.key()).i64(find.version());
            case FindInode find -> find.block().write(out.u8(8).i64(find.inode()));
            case ListObjects list ->
                out.u8(9)
                        .string(list.bucket())
                        .string(list.prefix())
                        .string(list.delimiter())
                        .bytes(list.after())
                        .i32(list.limit())
                        .bool(list.withAttributes());
            case ListVersions list ->
                out.u8(10)
                        .string(list.bucket())
                        .string(list.prefix())
                        .string(list.delimiter())
                        .string(list.afterKey())
                        .i64(list.beforeVersion())
                        .i32(list.limit())
                        .bool(list.withAttributes());
            case FindDocument find -> out.u8(60).string(find.bucket()).string(find.name());
            case ListDocuments list -> out.u8(61).string(list.bucket());
            case ListBuckets list -> out.u8(11).string(list.after()).i32(list.limit());
            case ListEvidence list -> out.u8(12).i64(list.afterNumber()).i32(list.limit());
            case FindEvidence find -> out.u8(23).i64(find.number());
            case ListPrincipals list -> {
                list.after().write(out.u8(13).i64(list.knownVersion()));
                out.i32(list.limit());
            }
            case ListGrants of -> of.client().write(out.u8(14));
            case ListReleases ignored -> out.u8(15);
            case GetGenesis ignored -> out.u8(17);
            case ListSuspensions list -> {
                list.after().write(out.u8(18));
                out.i32(list.limit());
            }
            case CountWriters ignored -> out.u8(19);
            case ListReplicas ignored -> out.u8(20);
            case Query.ListNodeFaults ignored -> out.u8(80);
            case Query.GetThreat ignored -> out.u8(81);
            case ListAudit list -> out.u8(16).i64(list.afterNumber()).i32(list.limit());
            case ListActFor list -> {
                list.door().write(out.u8(21));
                list.after().write(out);
                out.i32(list.limit());
            }
            case Query.OfUpload upload -> UploadCodec.write(upload, out);
            case Query.OfAccessKey ofKey -> AccessKeyCodec.write(ofKey, out);
            case Query.OfEvents events -> EventCodec.write(events, out);
            case Query.OfLocking locking -> LockingCodec.write(locking, out);
            case OnBehalf on -> {
                on.person().write(out.u8(ON_BEHALF));
                write(on.query(), out);
            }
        }
    }

    static Query decode(Bytes bytes) {
        if (bytes.length() > Query.BYTES_MAX) {
            throw new MalformedException(bytes.length() + " bytes, the limit is " + Query.BYTES_MAX);
        }
        WireReader in = new WireReader(bytes);
        int type = in.u8();
        Query read = type == ON_BEHALF ? new OnBehalf(PrincipalId.read(in), read(in.u8(), in)) : read(type, in);
        in.end();
        return read;
    }

    /** Reads a query on behalf of nobody. */
    private static Query read(int type, WireReader in) {
        return switch (type) {
            case 1 -> new GetMap();
            case 2 -> new GetStatus();
            case 3 -> new SessionOf(volume(in), PrincipalId.read(in), in.nonNegative64());
            case 4 -> new GrantOf(volume(in), PrincipalId.read(in));
            case 5 -> new References(volume(in), in.nonNegative64(), limit(in));
            case 6 -> new SessionChanges(in.nonNegative64(), limit(in));
            case 7 -> new FindObject(name(in), name(in), in.nonNegative64());
            case 8 -> new FindInode(in.nonNegative64(), BlockId.read(in));
            case 9 ->
                new ListObjects(
                        name(in),
                        name(in),
                        in.string(Query.DELIMITER_BYTES_MAX),
                        in.bytes(Query.TOKEN_BYTES_MAX),
                        limit(in),
                        in.bool());
            case 10 ->
                new ListVersions(
                        name(in),
                        name(in),
                        in.string(Query.DELIMITER_BYTES_MAX),
                        name(in),
                        in.nonNegative64(),
                        limit(in),
                        in.bool());
            case 11 -> new ListBuckets(name(in), limit(in));
            case 12 -> new ListEvidence(in.nonNegative64(), limit(in));
            case 13 -> new ListPrincipals(in.i64(), PrincipalId.read(in), limit(in));
            case 14 -> new ListGrants(PrincipalId.read(in));
            case 15 -> new ListReleases();
            case 16 -> new ListAudit(in.nonNegative64(), limit(in));
            case 17 -> new GetGenesis();
            case 18 -> new ListSuspensions(PrincipalId.read(in), limit(in));
            case 19 -> new CountWriters();
            case 20 -> new ListReplicas();
            case 21 -> new ListActFor(PrincipalId.read(in), PrincipalId.read(in), limit(in));
            case 60 -> new FindDocument(name(in), name(in));
            case 61 -> new ListDocuments(name(in));
            case 23 -> new FindEvidence(in.nonNegative64());
            case 24 -> new FindSlices(name(in), name(in), in.nonNegative64(), in.nonNegative64(), limit(in));
            case 25 -> new FindUpload(UploadName.read(in));
            case 26 -> new ListUploads(name(in), name(in), name(in), in.nonNegative64(), limit(in));
            case 27 -> new ListParts(UploadName.read(in), in.i32(0, PartSelection.NUMBER_MAX), limit(in));
            case 43 -> new FindAccessKey(in.string(AccessKey.ID_LENGTH_MAX));
            case 44 -> new ListAccessKeys(PrincipalId.read(in), in.string(AccessKey.ID_LENGTH_MAX), limit(in));
            case 45 -> new ListGateways();
            case 90, 91, 92 -> EventCodec.readQuery(type, in);
            case 70, 71 -> LockingCodec.readQuery(type, in);
            case 80 -> new Query.ListNodeFaults();
            case 81 -> new Query.GetThreat();
            default -> throw new MalformedException("unknown query " + type);
        };
    }

    private static int volume(WireReader in) {
        return in.i32(0, Integer.MAX_VALUE);
    }

    private static int limit(WireReader in) {
        return in.i32(1, Query.PAGE_MAX);
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }
}
