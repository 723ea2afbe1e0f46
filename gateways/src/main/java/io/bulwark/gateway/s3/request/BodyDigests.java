package io.bulwark.gateway.s3.request;

import java.util.SortedMap;

/**
 * Digests of a body that has been read.
 *
 * @param md5 16 bytes
 * @param checksums what the request asked for, by the name of S3 ({@code CRC32}, {@code CRC32C}, {@code CRC64NVME},
 *     {@code SHA1}, {@code SHA256}), base64
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and made for one request.
public record BodyDigests(byte[] md5, SortedMap<String, String> checksums) {}
