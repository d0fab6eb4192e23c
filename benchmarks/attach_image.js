// A warm process over sharp: for each line of standard input (upload, folder, mode), the picture work of saving an
// attachment, and one line when it is on the disk. `mode` is save or request.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const sharp = require(path.join(process.argv[2], "sharp"));

function keep(folder, name, data) {
  const staged = path.join(folder, `${name}.new`);
  const file = fs.openSync(staged, "wx", 0o400);
  fs.writeSync(file, data);
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(staged, path.join(folder, name));
  const shard = fs.openSync(folder, "r");
  fs.fsyncSync(shard);
  fs.closeSync(shard);
}

async function save(upload, folder) {
  const data = fs.readFileSync(upload);
  const original = crypto.createHash("sha256").update(data).digest("hex");
  const strict = { failOn: "warning" };
  const made = await sharp(data, strict).rotate().jpeg({ quality: 92, chromaSubsampling: "4:2:0" }).toBuffer();
  await sharp(made, strict).raw().toBuffer();
  keep(folder, original, data);
  keep(folder, crypto.createHash("sha256").update(made).digest("hex"), made);
}

async function request(object, folder) {
  const options = { fit: "inside", withoutEnlargement: true };
  const data = fs.readFileSync(object);
  crypto.createHash("sha256").update(data).digest("hex");
  const made = await sharp(data).resize(1568, 1568, options).jpeg({ quality: 85 }).toBuffer();
  fs.writeFileSync(path.join(folder, crypto.createHash("sha256").update(made).digest("hex")), made);
}

async function main() {
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const [from, folder, mode] = line.split("\t");
    await (mode === "save" ? save : request)(from, folder);
    process.stdout.write("done\n");
  }
}

main();
