package io.bulwark.gateway.s3.call;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.permission.RequestTerms;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.setting.BucketRules;
import io.bulwark.gateway.s3.setting.BucketSettings;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.protocol.id.PrincipalId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One request in work. It acts on behalf of the person who sent it; used by one thread. */
public final class Call implements AutoCloseable {
    private static final String XML = "application/xml";

    private final Exchange exchange;
    private final Optional<String> bucketName;
    private final Bulwark door;
    private final BucketSettings settings;
    private final LargeDocuments documents;
    private boolean hasLargeDocument;
    private @Nullable Bucket bucket;
    private @Nullable BucketRules rules;
    private Optional<RequestTerms> terms = Optional.empty();

    /** @param door the view of the gateway's client on behalf of the person */
    public Call(Exchange exchange, Bulwark door, BucketSettings settings, LargeDocuments documents) {
        this(exchange, exchange.bucket(), door, settings, documents);
    }

    private Call(
            Exchange exchange,
            Optional<String> bucketName,
            Bulwark door,
            BucketSettings settings,
            LargeDocuments documents) {
        this.exchange = exchange;
        this.bucketName = bucketName;
        this.door = door;
        this.settings = settings;
        this.documents = documents;
    }

    /** Gives back what the request has taken. */
    @Override
    public void close() {
        if (hasLargeDocument) {
            hasLargeDocument = false;
            documents.leave(exchange.caller().person());
        }
    }

    public Exchange exchange() {
        return exchange;
    }

    public Bulwark door() {
        return door;
    }

    public BucketSettings settings() {
        return settings;
    }

    /** Returns who signed the request; empty if nobody did. */
    public Optional<PrincipalId> person() {
        return exchange.caller().key().map(AccessKey::person);
    }

    /** Returns the canonical user ID of the sender, which owns what this request makes. */
    public String sender() {
        return exchange.caller().person().toString();
    }

    public String bucketName() {
        return bucketName.orElseThrow(() -> new IllegalStateException("the request names no bucket"));
    }

    public String key() {
        return exchange.key().orElseThrow(() -> new IllegalStateException("the request names no key"));
    }

    /** Returns the bucket that the request names. */
    public Bucket bucket() {
        Bucket known = bucket;
        if (known == null) {
            // Objects are found, made and judged by the replicas under their names; for them the bucket itself is not
            // asked for.
            known = exchange.key().isPresent() ? settings.known(door, bucketName()) : door.bucket(bucketName());
            bucket = known;
        }
        return known;
    }

    /** Returns the rules of the bucket that the request names. */
    public BucketRules rules() {
        BucketRules known = rules;
        if (known == null) {
            known = settings.rules(bucket());
            rules = known;
        }
        return known;
    }

    /** Refuses the request if a header expects the bucket to belong to another person. */
    public void requireOwner(String header) {
        header(header).filter(owner -> !owner.equals(rules().owner())).ifPresent(_ -> {
            throw Authorization.denied();
        });
    }

    public Authorization authorization() {
        Authorization ofHeaders = new Authorization(exchange, bucketName(), rules());
        return terms.map(ofHeaders::withTerms).orElse(ofHeaders);
    }

    /** Has the request judged by terms that its headers do not decide. */
    public void judgeBy(RequestTerms other) {
        terms = Optional.of(other);
    }

    /** Returns the same request about another bucket, as copies have a source. */
    public Call about(String otherBucket) {
        return otherBucket.equals(bucketName())
                ? this
                : new Call(exchange, Optional.of(otherBucket), door, settings, documents);
    }

    public ObjectAccess accessTo(ObjectInfo object) {
        return ObjectAccess.of(rules(), object.properties(), object.tags());
    }

    /** Returns a query parameter; empty if it is missing or has no value. */
    public Optional<String> query(String name) {
        return Optional.ofNullable(exchange.query().get(name)).filter(value -> !value.isEmpty());
    }

    /** Returns the version that the request names. An empty name is none: a deletion without it would hit the latest. */
    public Optional<String> versionId() {
        Optional<String> id = Optional.ofNullable(exchange.query().get("versionId"));
        if (id.filter(String::isEmpty).isPresent()) {
            throw ErrorCode.INVALID_ARGUMENT.because("Version id cannot be the empty string");
        }
        return id;
    }

    public boolean hasQuery(String name) {
        return exchange.query().containsKey(name);
    }

    /** Returns a query parameter that is a number in these bounds. */
    public int number(String name, int otherwise, int min, int max) {
        Optional<String> text = query(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.get());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Refused below, as numbers out of bounds are.
        }
        throw ErrorCode.INVALID_ARGUMENT.because(
                "Argument " + name + " must be an integer between " + min + " and " + max + ".");
    }

    public Optional<String> header(String name) {
        return exchange.header(name).map(String::strip).filter(value -> !value.isEmpty());
    }

    /** Reads the whole body, which is a document. */
    public XmlElement document(String root) {
        InputStream body = exchange.body();
        byte[] begin;
        try {
            begin = body.readNBytes(LargeDocuments.BYTES_MIN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (begin.length == LargeDocuments.BYTES_MIN && !hasLargeDocument) {
            documents.enter(exchange.caller().person());
            hasLargeDocument = true;
        }
        return XmlReader.read(new SequenceInputStream(new ByteArrayInputStream(begin), body), root);
    }

    /** Reads the whole body, of at most this length. */
    public byte[] body(int bytesMax) {
        try {
            byte[] body = exchange.body().readNBytes(bytesMax + 1);
            if (body.length > bytesMax) {
                throw ErrorCode.ENTITY_TOO_LARGE.because("The body is longer than " + bytesMax + " bytes.");
            }
            return body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answers without a body. */
    public void respond(int status) {
        respond(status, Collections.emptySortedMap());
    }

    /** Answers without a body. */
    public void respond(int status, SortedMap<String, String> headers) {
        write(status, headers, new byte[0]);
    }

    /** Answers a request for the headers of something of this length. */
    public void respondToHead(int status, SortedMap<String, String> headers, long length) {
        try {
            exchange.respond(status, headers, OptionalLong.of(length)).close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answers with a document. */
    public void respond(byte[] document) {
        respond(document, Collections.emptySortedMap());
    }

    /** Answers with a document. */
    public void respond(byte[] document, SortedMap<String, String> headers) {
        SortedMap<String, String> all = new TreeMap<>(headers);
        all.put("content-type", XML);
        write(200, all, document);
    }

    private void write(int status, SortedMap<String, String> headers, byte[] body) {
        try (OutputStream out = exchange.respond(status, headers, OptionalLong.of(body.length))) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
