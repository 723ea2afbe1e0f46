"""Gives two S3 services the same random requests, and ends at the first answer that differs."""
import hashlib
import json
import random
import sys
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

# S3Proxy keeps objects as files: no key is the directory of another.
KEYS = ["a/1", "a/b/c", "a.txt", "b", "dir/x", "dir/x y", "dir/\u00e4\u20ac", "dir+1/%41", "z~'()*!", "\U0001f600", "p&q<r>\"s"]
IN_PARTS = ["parts/1", "parts/2"]
# Services name the same error by its number or by its code.
SAME_MEANING = [
    {"304", "NotModified"},
    {"404", "NoSuchKey"},
    {"412", "PreconditionFailed"},
    {"416", "InvalidRange"},
]


def client(endpoint, identity, secret):
    config = Config(signature_version="s3v4", retries={"max_attempts": 0}, s3={"addressing_style": "path"})
    return boto3.client("s3", endpoint_url=endpoint, aws_access_key_id=identity, aws_secret_access_key=secret,
                        region_name="us-east-1", config=config)


def outcome(call):
    try:
        return call()
    except ClientError as error:
        code = error.response["Error"]["Code"]
        return "error " + next((sorted(names)[-1] for names in SAME_MEANING if code in names), code)


class Requests:
    """One random request each time, as a name, its arguments, and what to keep of the answer."""

    def __init__(self, chance, bucket):
        self.chance = chance
        self.bucket = bucket

    def key(self):
        return self.chance.choice(KEYS + IN_PARTS)

    def body(self):
        return self.chance.randbytes(self.chance.choice([0, 1, 17, 4096, 4097, 70_000]))

    def condition(self):
        tag = hashlib.md5(b"").hexdigest()
        return self.chance.choice([{}, {}, {}, {"IfMatch": f'"{tag}"'}, {"IfNoneMatch": f'"{tag}"'}])

    def next(self):
        return self.chance.choice([self.put, self.put, self.get, self.get, self.get_range, self.head, self.delete,
                                   self.delete_many, self.copy, self.list_first, self.list_second, self.multipart])()

    def put(self):
        arguments = {"Key": self.key(), "Body": self.body(), "ContentType": self.chance.choice(["text/plain", "a/b"]),
                     "Metadata": {"n": str(self.chance.randrange(9))}}
        return "put_object", arguments, lambda answer: answer["ETag"]

    @staticmethod
    def object_of(answer):
        body = answer["Body"].read() if "Body" in answer else b""
        return (answer["ETag"], answer["ContentLength"], answer["ContentType"], answer["Metadata"],
                answer.get("ContentRange"), hashlib.md5(body).hexdigest())

    def get(self):
        return "get_object", {"Key": self.key(), **self.condition()}, self.object_of

    def get_range(self):
        first, last = self.chance.choice([0, 1, 16, 17, 4095, 4096, 69_999, 70_000]), self.chance.choice([0, 16, 5000, 10**6])
        form = self.chance.choice([f"bytes={first}-", f"bytes=-{max(1, last)}", f"bytes={first}-{first + last}"])
        return "get_object", {"Key": self.key(), "Range": form}, self.object_of

    def head(self):
        return "head_object", {"Key": self.key(), **self.condition()}, self.object_of

    def delete(self):
        return "delete_object", {"Key": self.key()}, lambda answer: "deleted"

    def delete_many(self):
        names = self.chance.sample(KEYS, 3)
        return ("delete_objects", {"Delete": {"Objects": [{"Key": name} for name in names]}},
                lambda answer: sorted(one["Key"] for one in answer.get("Deleted", [])))

    def copy(self):
        # A copy of an object in parts keeps its tag here, as no byte is read; S3Proxy makes another one.
        arguments = {"Key": self.chance.choice(KEYS), "CopySource": {"Bucket": self.bucket, "Key": self.chance.choice(KEYS)}}
        if arguments["Key"] == arguments["CopySource"]["Key"]:
            return self.head()
        return "copy_object", arguments, lambda answer: answer["CopyObjectResult"]["ETag"]

    def filters(self):
        return {"Prefix": self.chance.choice(["", "a", "a/", "dir/", "none"]), "MaxKeys": self.chance.choice([1, 2, 3, 1000]),
                **self.chance.choice([{}, {"Delimiter": "/"}])}

    @staticmethod
    def listed(answer):
        return ([(one["Key"], one["Size"], one["ETag"]) for one in answer.get("Contents", [])],
                [one["Prefix"] for one in answer.get("CommonPrefixes", [])], answer["IsTruncated"])

    def list_first(self):
        return "list_objects", {**self.filters(), "Marker": self.chance.choice(["", "a", "b"])}, self.listed

    def list_second(self):
        return "list_objects_v2", {**self.filters(), "StartAfter": self.chance.choice(["", "a", "b"])}, self.listed

    def multipart(self):
        parts = [self.chance.randbytes(5 << 20), self.body()][: self.chance.choice([1, 2])]
        return "multipart", {"Key": self.chance.choice(IN_PARTS), "Parts": parts}, lambda answer: answer["ETag"]


def multipart(service, Bucket, Key, Parts):
    upload = service.create_multipart_upload(Bucket=Bucket, Key=Key, ContentType="a/b")["UploadId"]
    tags = []
    for number, part in enumerate(Parts, 1):
        tag = service.upload_part(Bucket=Bucket, Key=Key, UploadId=upload, PartNumber=number, Body=part)["ETag"]
        tags.append({"PartNumber": number, "ETag": tag})
    return service.complete_multipart_upload(Bucket=Bucket, Key=Key, UploadId=upload, MultipartUpload={"Parts": tags})


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        key = json.load(file)
    oracle = client(sys.argv[2], "oracle", "oracle-secret")
    gateway = client(key["endpoint"], key["id"], key["secret"])
    seed = int(sys.argv[4]) if sys.argv[4] else random.SystemRandom().randrange(1 << 32)
    print("seed", seed, flush=True)
    requests = Requests(random.Random(seed), "compared")
    for service in (oracle, gateway):
        service.create_bucket(Bucket=requests.bucket)
    end = time.monotonic() + int(sys.argv[3])
    count = 0
    while time.monotonic() < end:
        name, arguments, kept = requests.next()
        answers = []
        for service in (oracle, gateway):
            call = (lambda **rest: multipart(service, **rest)) if name == "multipart" else getattr(service, name)
            answers.append(outcome(lambda: kept(call(Bucket=requests.bucket, **arguments))))
        count += 1
        if answers[0] != answers[1]:
            shown = {each: value if len(str(value)) < 200 else "..." for each, value in arguments.items()}
            print(f"request {count} {name} {shown}\n  S3Proxy: {answers[0]}\n  Bulwark: {answers[1]}")
            sys.exit(1)
    print(count, "requests had the same answers")


main()
